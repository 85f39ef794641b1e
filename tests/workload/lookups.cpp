// lookups DIR: when a wick traces it, opens 77 files that are not there (missing_0, missing_1, …),
// asks for one of a name of 255 bytes and one whose name has a newline, and opens /proc/self/stat
// three times; then it ends.
#include <fcntl.h>
#include <sys/stat.h>

#include "workload.h"

using namespace workload;

namespace {

constexpr int kMissing = 77;

void look_up_what_is_missing(const std::string& folder) {
  for (int i = 0; i < kMissing; i++)
    ::open((folder + "/missing_" + std::to_string(i)).c_str(), O_RDONLY);
  struct stat about{};
  ::stat((folder + "/" + std::string(255, 'x')).c_str(), &about);
  ::stat((folder + "/two\nlines").c_str(), &about);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  begin(options, 1);
  look_up_what_is_missing(options.word(0));
  for (int i = 0; i < 3; i++) ::close(::open("/proc/self/stat", O_RDONLY));
  ::_exit(0);
}
