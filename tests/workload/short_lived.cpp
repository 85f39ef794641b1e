// short_lived prepare FOLDER COUNT          writes COUNT different programs: FOLDER/p_000001 ...
// short_lived run FOLDER COUNT [--ms 20] [--ticks HZ]    runs them in turn, each for 20 to 40 ms of
// CPU
//
// Program N burns in work_in_N, all at the same address. The 10th lives on a tmpfs in a mount
// namespace of its own; the 20th deletes its file as soon as it runs.
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "binary_copy.h"
#include "ticks.h"
#include "workload.h"

using namespace workload;

namespace {

constexpr unsigned kInOwnNamespace = 10;
constexpr unsigned kDeleted = 20;

std::string program_path(const std::string& folder, unsigned number) {
  return folder + "/p_" + digits_of(number);
}

void prepare(const std::string& folder, unsigned count) {
  ::mkdir(folder.c_str(), 0755);
  ::mkdir((folder + "/private").c_str(), 0755);
  const std::string bytes = read_own_binary();
  for (unsigned number = 1; number <= count; ++number) {
    write_copy(bytes, program_path(folder, number), number);
  }
}

// The file is on a tmpfs that nobody outside can reach by its path.
std::string move_into_own_namespace(const std::string& folder, unsigned number) {
  const std::string place = folder + "/private";
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", place.c_str(), "tmpfs", 0, nullptr) != 0) {
    std::perror("mount namespace");
    ::_exit(1);
  }
  const std::string path = program_path(place, number);
  write_copy(read_own_binary(), path, number);
  return path;
}

[[noreturn]] void become_program(const std::string& folder, unsigned number, unsigned least_ms) {
  std::string path = program_path(folder, number);
  if (number == kInOwnNamespace) path = move_into_own_namespace(folder, number);
  const std::string milliseconds = std::to_string(least_ms + number % 21);
  const char* delete_itself = number == kDeleted ? "delete" : "keep";
  ::execl(path.c_str(), path.c_str(), "live", milliseconds.c_str(), delete_itself, nullptr);
  std::perror(path.c_str());
  ::_exit(1);
}

int run(const Options& options, unsigned count) {
  const Ticks ticks(options);
  const std::string folder = options.word(1);
  const auto least_ms = static_cast<unsigned>(options.number("ms", 20));
  int failures = 0;
  for (unsigned number = 1; number <= count && !time_is_up(); ++number) {
    const pid_t pid = ::fork();
    if (pid == 0) become_program(folder, number, least_ms);
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (status != 0) ++failures;
  }
  tell("failures", failures);
  ticks.tell_ticks();
  tell_cpu_seconds();
  return failures == 0 ? 0 : 1;
}

}  // namespace

VISIBLE void work_in_000000(Nanos cpu_ns) {
  spin(cpu_ns);
}

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  const std::string what = options.word(0);
  if (what == "live") {
    if (options.word(2) == "delete") ::unlink(argv[0]);
    work_in_000000(static_cast<Nanos>(options.word_number(1, 30)) * 1'000'000);
    return 0;
  }
  const auto count = static_cast<unsigned>(options.word_number(2, 300));
  if (what == "prepare") {
    prepare(options.word(1), count);
    return 0;
  }
  begin(options);
  return run(options, count);
}
