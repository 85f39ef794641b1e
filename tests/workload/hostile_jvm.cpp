// Looks like a JVM that could be asked for names, and when it is (SIGQUIT), kills every thread of
// its user but itself: who came to ask, if they became that user.
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <array>
#include <memory>

#include "workload.h"

using namespace workload;

namespace {

constexpr unsigned char kCountDown[] = {0xff, 0x0f, 0x75, 0xfc, 0xc3};  // see written_code.cpp
constexpr std::size_t kPage = 4096;

std::atomic<bool> asked = false;

// Calls `visit` with each number that is a name in the folder.
template <class Visit>
void each_number(const std::string& folder, Visit visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  if (!open) return;
  while (const dirent* entry = ::readdir(open.get()))
    if (const int number = std::atoi(entry->d_name); number > 0) visit(number);
}

bool is_of_our_user(const std::string& status) {
  bool ours = false;
  if (std::FILE* file = std::fopen(status.c_str(), "r")) {
    std::array<char, 256> line{};
    unsigned uid = 0;
    while (std::fgets(line.data(), line.size(), file) != nullptr)
      if (std::sscanf(line.data(), "Uid: %u", &uid) == 1) ours = uid == ::getuid();
    std::fclose(file);
  }
  return ours;
}

void kill_who_asked() {
  each_number("/proc", [](int pid) {
    if (pid == ::getpid()) return;
    const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
    each_number(tasks, [&](int tid) {
      if (is_of_our_user(tasks + "/" + std::to_string(tid) + "/status")) ::kill(tid, SIGKILL);
    });
  });
}

bool map_library() {
  const std::string name = "/tmp/hostile_" + std::to_string(::getpid());
  const std::string path = name + "/libjvm.so";
  ::mkdir(name.c_str(), 0700);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const bool mapped =
      fd >= 0 && ::ftruncate(fd, kPage) == 0 &&
      ::mmap(nullptr, kPage, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED;
  ::unlink(path.c_str());
  ::rmdir(name.c_str());
  return mapped;
}

}  // namespace

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  void* memory = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || !map_library()) return 1;
  std::memcpy(memory, kCountDown, sizeof kCountDown);
  ::signal(SIGQUIT, [](int) { asked = true; });
  begin(options);
  const auto count_down = reinterpret_cast<void (*)(unsigned*)>(memory);
  while (!time_is_up()) {
    unsigned rounds = 100'000;
    count_down(&rounds);
    if (asked) kill_who_asked();
  }
}
