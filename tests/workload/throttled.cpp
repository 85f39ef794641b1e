// throttled [--seconds 2]: spins in a cgroup of its own that may use a fifth of a CPU, of either
// version. Tells throttled_us, how long the kernel says it was without quota; 0 where no such
// cgroup can be made (has_quota=0).
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "workload.h"

using namespace workload;

VISIBLE void spin_with_a_quota() {
  spin_until_time_is_up();
}

namespace {

bool write_to(const std::string& path, const std::string& text) {
  std::ofstream file{path};
  file << text << std::flush;
  return file.good();
}

// A folder with a quota, this process in it.
bool join_quota(const std::string& folder, bool second_version) {
  if (::mkdir(folder.c_str(), 0755) != 0) return false;
  const bool limited = second_version ? write_to(folder + "/cpu.max", "20000 100000")
                                      : write_to(folder + "/cpu.cfs_period_us", "100000") &&
                                            write_to(folder + "/cpu.cfs_quota_us", "20000");
  if (limited && write_to(folder + "/cgroup.procs", std::to_string(::getpid()))) return true;
  ::rmdir(folder.c_str());
  return false;
}

long long throttled_us(const std::string& folder) {
  std::ifstream file{folder + "/cpu.stat"};
  std::string name;
  long long value = 0;
  while (file >> name >> value) {
    if (name == "throttled_usec") return value;
    if (name == "throttled_time") return value / 1000;
  }
  return 0;
}

void leave_and_remove(const std::string& folder, const std::string& above) {
  write_to(above + "/cgroup.procs", std::to_string(::getpid()));
  ::rmdir(folder.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const std::string name = "/wick_quota_" + std::to_string(::getpid());
  std::string above;
  for (const auto& [root, second] :
       {std::pair{"/sys/fs/cgroup/cpu", false}, std::pair{"/sys/fs/cgroup/cpu,cpuacct", false},
        std::pair{"/sys/fs/cgroup", true}})
    if (above.empty() && join_quota(root + name, second)) above = root;
  tell("has_quota", above.empty() ? 0 : 1);
  begin(options);
  const long long before = above.empty() ? 0 : throttled_us(above + name);
  spin_with_a_quota();
  tell("throttled_us", above.empty() ? 0 : throttled_us(above + name) - before);
  if (!above.empty()) leave_and_remove(above + name, above);
}
