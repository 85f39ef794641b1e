#include "crew.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <new>
#include <vector>

namespace wick::test {
namespace {

constexpr std::size_t kMostJobs = 4096;

// In memory that all of them see.
struct Shared {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> printing{false};
  std::atomic<int> passed{0};
  std::atomic<int> failed{0};
  std::atomic<int> skipped{0};
  std::array<std::atomic<bool>, kMostJobs> again{};
};

void flush_whole(Shared& shared) {
  while (shared.printing.exchange(true)) ::sched_yield();
  std::fflush(stdout);
  shared.printing.store(false);
}

void work(Shared& shared, std::size_t jobs, const CrewJob& run) {
  std::vector<char> buffer(std::size_t{1} << 20);
  std::setvbuf(stdout, buffer.data(), _IOFBF, buffer.size());
  for (std::size_t job = shared.next++; job < jobs; job = shared.next++) {
    if (const auto counts = run(job)) {
      shared.passed += counts->passed;
      shared.failed += counts->failed;
      shared.skipped += counts->skipped;
    } else {
      shared.again[job] = true;
    }
    flush_whole(shared);
  }
  ::_exit(0);  // the buffer is ours, and empty
}

}  // namespace

CrewResult run_by_crew(std::size_t members, std::size_t jobs, const CrewJob& run) {
  if (jobs > kMostJobs) return {.counts = {.failed = static_cast<int>(jobs)}, .again = {}};
  void* memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {.counts = {.failed = 1}, .again = {}};
  auto& shared = *new (memory) Shared;
  std::fflush(stdout);
  std::vector<pid_t> crew;
  for (std::size_t i = 0; i < members; i++) {
    const pid_t pid = ::fork();
    if (pid == 0) work(shared, jobs, run);
    if (pid > 0) crew.push_back(pid);
  }
  CrewResult result;
  Counts& counts = result.counts;
  for (const pid_t pid : crew) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (status == 0) continue;
    fmt::print("FAILED  a process of the test crew ended with status {}\n", status);
    counts.failed++;
  }
  counts.add({shared.passed, shared.failed, shared.skipped});
  // All of them ended, or none began: whatever is left was not run.
  const std::size_t begun = std::min<std::size_t>(shared.next, jobs);
  counts.failed += static_cast<int>(jobs - begun);
  for (std::size_t i = 0; i < jobs; i++)
    if (shared.again[i]) result.again.push_back(i);
  ::munmap(memory, sizeof(Shared));
  return result;
}

}  // namespace wick::test
