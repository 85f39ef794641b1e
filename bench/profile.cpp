// wick profile against bpftrace and perf, in turns in one run: bench_profile WICK WORKLOAD [ROUNDS]
//
// Every tool samples the whole system by the CPU clock at 999 Hz, user and kernel stacks, while two
// processes burn 30 calls deep. Two kinds of rounds: short ones for the time from the start of the
// command to its first sample, long ones for what the whole command costs until its stacks are
// printed. The machine is shared: look at the ratios.
#include <bpf/bpf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/text.h"
#include "bench/measure.h"

extern char** environ;

namespace wick {
namespace {

const int kLongSeconds = bench::shorter(5, 1);
constexpr std::string_view kOut = "/tmp/wick_bench.out";
constexpr std::string_view kErr = "/tmp/wick_bench.err";
constexpr std::string_view kData = "/tmp/wick_bench.data";

struct Cost {
  u64 started_ns = 0;
  double cpu_ms = 0;
  double peak_mb = 0;
  double bpf_ns = 0;  // per run of the sampling program; 0: none
};

pid_t start(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, kOut.data(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, kErr.data(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = -1;
  if (posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ) != 0) {
    fmt::print("cannot start {}\n", command[0]);
    std::exit(1);
  }
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

double ms(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

// Nanoseconds per run of the newest perf_event program: the tool's, as only one runs at a time.
double newest_program_ns() {
  double ns = 0;
  for (u32 id = 0; bpf_prog_get_next_id(id, &id) == 0;) {
    const Fd fd{bpf_prog_get_fd_by_id(id)};
    bpf_prog_info info{};
    u32 size = sizeof(info);
    if (bpf_obj_get_info_by_fd(fd.get(), &info, &size) != 0) continue;
    if (info.type == BPF_PROG_TYPE_PERF_EVENT && info.run_cnt > 0)
      ns = static_cast<double>(info.run_time_ns) / static_cast<double>(info.run_cnt);
  }
  return ns;
}

Cost run(const std::vector<std::string>& command, bool read_bpf = false) {
  Cost cost{.started_ns = monotonic_ns()};
  const pid_t pid = start(command);
  if (read_bpf) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kLongSeconds * 1000 - 500));
    cost.bpf_ns = newest_program_ns();
    // On a busy machine it may not have met a tick yet.
    for (siginfo_t ended{}; cost.bpf_ns == 0 && ended.si_pid == 0;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      cost.bpf_ns = newest_program_ns();
      ::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT);
    }
  }
  rusage usage{};
  int status = 0;
  ::wait4(pid, &status, 0, &usage);
  if (status != 0) fmt::print("  {} ended with status {}\n", command[0], status);
  cost.cpu_ms = ms(usage.ru_utime) + ms(usage.ru_stime);
  cost.peak_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  return cost;
}

std::string output(std::string_view path) {
  return read_file(std::string(path), std::size_t{1} << 30).value_or("");
}

// The number behind `key`, in whatever it is followed by.
double number_after(const std::string& text, std::string_view key) {
  const std::size_t at = text.find(key);
  return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + key.size(), nullptr);
}

struct Tool {
  std::string name;
  std::function<Cost(int seconds)> profile;
  std::function<double(const Cost&)> first_sample_ms;  // of the run just over
};

Tool wick_tool(const std::string& binary) {
  return {"wick",
          [=](int seconds) {
            return run({binary, "profile", "-F", "999", "-f", "--stats", std::to_string(seconds)},
                       seconds == kLongSeconds);
          },
          [](const Cost& cost) {
            const double at_s = number_after(output(kErr), "CLOCK_MONOTONIC ");
            return at_s * 1e3 - static_cast<double>(cost.started_ns) / 1e6;
          }};
}

Tool bpftrace_tool() {
  return {
      "bpftrace",
      [](int seconds) {
        // The print is only in the short runs: it would cost the long ones.
        const std::string first =
            seconds == kLongSeconds ? ""
                                    : "if (@n == 0) { printf(\"FIRST %llu\\n\", nsecs); } @n = 1; ";
        return run({"bpftrace", "-e",
                    fmt::format("profile:hz:999 {{ {}@[kstack, ustack, comm] = count(); }} "
                                "interval:s:{} {{ exit(); }}",
                                first, seconds)},
                   seconds == kLongSeconds);
      },
      [](const Cost& cost) {
        return (number_after(output(kOut), "FIRST ") - static_cast<double>(cost.started_ns)) / 1e6;
      }};
}

Tool perf_tool() {
  return {"perf",
          [](int seconds) {
            Cost record = run({"perf", "record", "-q", "-g", "-F", "999", "-k", "CLOCK_MONOTONIC",
                               "-a", "-e", "cpu-clock", "-o", std::string(kData), "--", "sleep",
                               std::to_string(seconds)});
            const Cost script = run({"perf", "script", "-i", std::string(kData)});
            record.cpu_ms += script.cpu_ms;
            record.peak_mb = std::max(record.peak_mb, script.peak_mb);
            return record;
          },
          [](const Cost& cost) {
            run({"perf", "script", "-i", std::string(kData), "-F", "time", "-G"});
            const std::string text = output(kOut);
            std::string_view rest = text;
            double first_s = 1e18;
            while (!rest.empty())
              if (const double s =
                      std::strtod(std::string(trim(take_until(rest, '\n'))).c_str(), nullptr);
                  s > 0)
                first_s = std::min(first_s, s);
            return first_s * 1e3 - static_cast<double>(cost.started_ns) / 1e6;
          }};
}

struct Results {
  bench::Series first_ms, cpu_ms, peak_mb, bpf_ns;
};

void report(std::string_view what, const std::vector<Tool>& tools,
            const std::vector<Results>& results, bench::Series Results::* series, double bound) {
  double best_peer = 0;
  std::string line = fmt::format("{:<28}", what);
  for (std::size_t i = 0; i < tools.size(); i++) {
    line += fmt::format("  {} {:<24}", tools[i].name, (results[i].*series).text(1));
    const double median = (results[i].*series).median();
    if (i > 0 && median > 0 && (best_peer == 0 || median < best_peer)) best_peer = median;
  }
  const double ratio = best_peer == 0 ? 0 : (results[0].*series).median() / best_peer;
  fmt::print("{}  wick/best peer {:.2f} (wanted ≤ {:.2f}) {}\n", line, ratio, bound,
             ratio <= bound ? "ok" : "MISSED");
}

int compare(const std::string& wick, const std::string& workload, int rounds) {
  std::vector<Tool> tools{wick_tool(wick)};
  if (bench::is_installed("bpftrace")) tools.push_back(bpftrace_tool());
  if (bench::is_installed("perf")) tools.push_back(perf_tool());
  std::vector<Results> results(tools.size());
  const std::string seconds = std::to_string(rounds * 60);
  const std::vector<pid_t> burners{start({workload, "30", "--seconds", seconds}),
                                   start({workload, "30", "--seconds", seconds})};
  const Fd stats{bpf_enable_stats(BPF_STATS_RUN_TIME)};
  for (int round = 0; round < rounds; round++) {
    for (std::size_t i = 0; i < tools.size(); i++) {
      const Cost brief = tools[i].profile(1);
      results[i].first_ms.values.push_back(tools[i].first_sample_ms(brief));
      const Cost whole = kLongSeconds == 1 ? brief : tools[i].profile(kLongSeconds);
      results[i].cpu_ms.values.push_back(whole.cpu_ms);
      results[i].peak_mb.values.push_back(whole.peak_mb);
      results[i].bpf_ns.values.push_back(whole.bpf_ns);
    }
  }
  for (const pid_t pid : burners) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  fmt::print("profile: {} rounds in turns, 999 Hz, {} s, median (least–most)\n", rounds,
             kLongSeconds);
  report("start to first sample, ms", tools, results, &Results::first_ms, 0.25);
  report("user+sys CPU, ms", tools, results, &Results::cpu_ms, 0.5);
  report("peak memory, MB", tools, results, &Results::peak_mb, 0.5);
  report("BPF ns per sample", tools, results, &Results::bpf_ns, 1.0);
  bench::check_measured("first sample", results[0].first_ms.median());
  bench::check_measured("BPF ns per sample", results[0].bpf_ns.median());
  return 0;
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print("usage: bench_profile WICK WORKLOAD [ROUNDS]\n");
    return 2;
  }
  return wick::compare(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 5);
}
