// wick profile as a source of windows that never ends: memory and descriptors stay flat, and every
// window has its samples.
//   bench_windows [WINDOWS [SECONDS [times]]]
//
// Both CPUs are saturated and 120 programs a second come and go. A line per window: samples against
// what the CPUs were busy for, memory, descriptors, what is known of processes, how long names
// took.
#include <dirent.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "kernel/bpf/skeleton.h"
#include "measure.h"
#include "proc/machine.h"
#include "profile.skel.h"
#include "tool/stack/sample_plan.h"
#include "tool/stack/stack_run.h"
#include "worker/child_main.h"

namespace wick::bench {
namespace {

constexpr u64 kHertz = 99;
constexpr int kForksPerSecond = 120;

class Quiet : public Session {
 public:
  Sink& out() override { return sink_; }
  void note(std::string_view sentence) override { fmt::print("# {}\n", sentence); }
  void progress(std::string_view /*text*/) override {}
  int stop_requests() const override { return 0; }
  int stop_fd() const override { return -1; }
  u64 started_ns() const override { return started_ns_; }
  std::string_view command_line() const override { return "bench_windows"; }

 private:
  StringSink sink_;
  u64 started_ns_ = monotonic_ns();
};

[[noreturn]] void burn() {
  volatile u64 spins = 0;
  while (true) spins = spins + 1;
}

[[noreturn]] void fork_and_exec() {
  const std::array<char*, 2> words{const_cast<char*>("true"), nullptr};
  auto next = std::chrono::steady_clock::now();
  while (true) {
    pid_t pid = 0;
    if (posix_spawn(&pid, "/bin/true", nullptr, nullptr, words.data(), environ) == 0)
      ::waitpid(pid, nullptr, 0);
    next += std::chrono::microseconds(1'000'000 / kForksPerSecond);
    std::this_thread::sleep_until(next);
  }
}

template <class Work>
pid_t in_child(Work work) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  work();
  std::_Exit(0);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) count++;
  ::closedir(folder);
  return count;
}

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  u64 all = 0;
  u64 resident = 0;
  file >> all >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

// Seconds that the CPUs were not idle; what Wick used itself is not sampled.
double busy_seconds(double wall_s, std::size_t cpus) {
  static double idle_before = 0;
  static double own_before = 0;
  std::ifstream file("/proc/stat");
  std::string word;
  u64 user = 0, nice = 0, system = 0, idle = 0, waiting = 0;
  file >> word >> user >> nice >> system >> idle >> waiting;
  const double idle_s =
      static_cast<double>(idle + waiting) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  const double own_s = seconds(own.ru_utime) + seconds(own.ru_stime);
  const double busy = wall_s * static_cast<double>(cpus) -
                      (idle_s - std::exchange(idle_before, idle_s)) -
                      (own_s - std::exchange(own_before, own_s));
  return busy;
}

u64 samples_of(const StackWindow& window) {
  u64 sum = window.totals().unknown_stacks + window.totals().losses[WICK_LOSS_COUNTS_FULL];
  for (const StackEntry& entry : window.entries()) sum += entry.count;
  return sum;
}

void tell(int number, const StackWindow& window, double busy_s, StackCollector& collector,
          const CollectedProfile& named, double names_ms) {
  const double expected = busy_s * static_cast<double>(kHertz);
  const auto samples = static_cast<double>(samples_of(window));
  const ProcessWatch::Usage usage = collector.processes().usage();
  fmt::print(
      "{:4} samples {:5} of {:7.1f} ({:+.2f} %) lost {} stacks {:5} unnamed {:3} timed {} | {:.1f} "
      "MB, "
      "{} descriptors | {} processes, {} images, {} files, {} open, {} KB carried | names {:.0f} "
      "ms\n",
      number, samples, expected, 100 * (samples / expected - 1), window.totals().unknown_stacks,
      window.entries().size(), named.report.unnamed_frames,
      window.timed_samples() + window.times_dropped(), resident_mb(), open_descriptors(),
      usage.processes, usage.images, usage.files, usage.open_files,
      collector.carried_bytes() / 1024, names_ms);
  std::fflush(stdout);
}

Status profile(int windows, double seconds, bool times) {
  Quiet session;
  const StackOptions options;
  const Trailing command;
  const SamplePlan plan =
      TRY(make_sample_plan({.frequency = kHertz, .count = {}, .event = {}, .cpu = {}}));
  StackRun<profile_bpf> run{session, options, command};
  TRY(run.prepare());
  bpf_program__set_autoload(run.programs().on_tracepoint, false);
  run.rodata().every = 1;
  run.rodata().only_cpu = -1;
  bpf_program* const program = run.programs().on_event;
  *run.object().probe(program) = plan.probe(bpf_program__name(program), false);
  TRY(run.load({.per_second = kHertz * plan.cpus.size(), .times = times}));
  TRY(run.attach({program}, "sample"));
  StackCollector& collector = run.collector();
  ResolveOptions names;
  names.worker = run.file_worker();
  u64 begin = monotonic_ns();
  (void)busy_seconds(0, 0);
  for (int i = 1; i <= windows; i++) {
    const u64 until = begin + static_cast<u64>(seconds * 1e9);
    TRY(collect(session, collector, {.until_ns = until, .targets = {}, .also = {}, .on_wake = {}}));
    const u64 end = monotonic_ns();
    const double busy_s =
        busy_seconds(static_cast<double>(end - std::exchange(begin, end)) / 1e9, plan.cpus.size());
    const StackWindow window = TRY(collector.take());
    const u64 before = monotonic_ns();
    const CollectedProfile named = TRY(
        resolve_profile(session, window, collector.names(), {{.type = "samples", .unit = "count"}},
                        [](const StackEntry& entry, std::vector<i64>& row) {
                          row.push_back(static_cast<i64>(entry.value));
                        }));
    const double names_ms = static_cast<double>(monotonic_ns() - before) / 1e6;
    collector.forget_named();
    tell(i, window, busy_s, collector, named, names_ms);
  }
  run.detach();
  return collector.stop();
}

}  // namespace
}  // namespace wick::bench

int main(int count, char** words) {
  using namespace wick::bench;
  // StackRun starts this very program again, to read strangers' files in.
  wick::become_child_if_asked(count, words);
  const int windows = count > 1 ? std::atoi(words[1]) : shorter(180, 2);
  const double seconds = count > 2 ? std::atof(words[2]) : shorter(10.0, 0.5);
  const bool times = count > 3;
  const auto cpus = wick::online_cpus();
  // What Wick starts itself is left out, so the load is not its child.
  std::vector<pid_t> load;
  for (std::size_t i = 0; i < (cpus ? cpus->size() : 1); i++) load.push_back(in_child(burn));
  load.push_back(in_child(fork_and_exec));
  const pid_t profiler = in_child([&] {
    const wick::Status done = profile(windows, seconds, times);
    if (!done) fmt::print("FAILED: {}\n", done.error().text());
    std::_Exit(done ? 0 : 1);
  });
  int status = 0;
  ::waitpid(profiler, &status, 0);
  for (const pid_t pid : load) ::kill(pid, SIGKILL);
  return status == 0 ? 0 : 1;
}
