// wick offcputime against libbpf-tools' and bpftrace, in turns in one run:
//   bench_offcpu WICK PING_PONG [ROUNDS]
//
// Two threads pass a byte through pipes on one CPU, 12 calls deep, hundreds of thousands of
// switches a second; each tool takes both stacks of each. What a switch costs by the kernel's own
// BPF statistics, and, without them, how much slower the threads get. The machine is shared: look
// at the ratios.
#include <bpf/bpf.h>
#include <unistd.h>
#include <csignal>
#include <cstring>
#include <functional>
#include <thread>

#include "base/fd.h"
#include "base/text.h"
#include "measure.h"

namespace wick::bench {
namespace {

const int kLookMs = shorter(2000, 100);
const int kStartMs = shorter(2500, 100);  // bpftrace takes its time
const std::string kOut = "/tmp/wick_bench_offcpu.out";
const std::string kPeer = "/usr/sbin/offcputime";

struct Tool {
  std::string name;
  std::string program;                                     // how its name begins
  std::function<std::vector<std::string>(pid_t)> command;  // empty: nobody looks
};

pid_t start(const std::vector<std::string>& command, const std::string& out) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

struct Runs {
  u64 count = 0;
  u64 nanoseconds = 0;
};

u32 newest_program() {
  u32 newest = 0;
  for (u32 id = 0; bpf_prog_get_next_id(id, &id) == 0;) newest = id;
  return newest;
}

// The tool's on sched_switch: of those that are newer than `before` the one of that name.
Runs runs_of(const std::string& name, u32 before) {
  Runs runs;
  for (u32 id = before; bpf_prog_get_next_id(id, &id) == 0;) {
    const Fd fd{bpf_prog_get_fd_by_id(id)};
    bpf_prog_info info{};
    u32 size = sizeof(info);
    if (bpf_obj_get_info_by_fd(fd.get(), &info, &size) != 0) continue;
    if (std::string_view(info.name).starts_with(name)) runs = {info.run_cnt, info.run_time_ns};
  }
  return runs;
}

void wait_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Its clock: the switches it makes from one look at its status to the next.
u64 switches_of(pid_t pid) {
  u64 sum = 0;
  for (const std::string thread : {"0", "1"}) {
    const std::string text =
        read_file(fmt::format("/proc/{}/task/{}/status", pid, pid + std::stoi(thread)), 65536)
            .value_or("");
    for (const char* key : {"\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:"})
      if (const std::size_t at = text.find(key); at != std::string::npos)
        sum += std::strtoull(text.c_str() + at + std::strlen(key), nullptr, 10);
  }
  return sum;
}

struct Measured {
  double ns = 0;        // of BPF a switch
  double switches = 0;  // a second
};

Measured measure(const Tool& tool, const std::string& ping_pong, bool stats) {
  const u32 before = newest_program();
  const pid_t target = start({ping_pong, "--seconds", "60"}, "/dev/null");
  wait_ms(200);
  const Fd fd{stats ? bpf_enable_stats(BPF_STATS_RUN_TIME) : -1};
  const auto command = tool.command ? tool.command(target) : std::vector<std::string>{};
  const pid_t watcher = command.empty() ? -1 : start(command, kOut);
  wait_ms(kStartMs);
  for (int looks = 0; stats && looks < 500 && runs_of(tool.program, before).count == 0; looks++)
    wait_ms(20);
  const Runs runs = runs_of(tool.program, before);
  const u64 from = switches_of(target);
  wait_ms(kLookMs);
  const Runs later = runs_of(tool.program, before);
  const u64 to = switches_of(target);
  if (watcher > 0) {
    ::kill(watcher, SIGINT);
    ::waitpid(watcher, nullptr, 0);
  }
  ::kill(target, SIGKILL);
  ::waitpid(target, nullptr, 0);
  const u64 count = later.count - runs.count;
  return {.ns = count == 0 ? 0
                           : static_cast<double>(later.nanoseconds - runs.nanoseconds) /
                                 static_cast<double>(count),
          .switches = static_cast<double>(to - from) * 1000 / kLookMs};
}

std::vector<Tool> tools_of(const std::string& wick) {
  const auto bpftrace = [](pid_t pid) -> std::vector<std::string> {
    return {"bpftrace", "-e",
            fmt::format("tracepoint:sched:sched_switch {{ if (pid == {}) {{ @t[tid] = nsecs; "
                        "@k[tid] = kstack; @u[tid] = ustack; }} $s = @t[args->next_pid]; if ($s) "
                        "{{ @off[@k[args->next_pid], @u[args->next_pid]] = sum(nsecs - $s); "
                        "delete(@t[args->next_pid]); }} }}",
                        pid)};
  };
  std::vector<Tool> tools{
      {"alone", "-", {}},
      {"wick", "on_switch",
       [=](pid_t pid) -> std::vector<std::string> {
         return {wick, "offcputime", "-f", "-p", std::to_string(pid), "60"};
       }},
  };
  if (is_installed(kPeer))
    tools.push_back({"libbpf-tools", "sched_switch", [](pid_t pid) -> std::vector<std::string> {
                       return {kPeer, "-p", std::to_string(pid), "60"};
                     }});
  if (is_installed("bpftrace")) tools.push_back({"bpftrace", "sched", bpftrace});
  return tools;
}

struct Results {
  Series ns, switches;
};

void report(const std::vector<Tool>& tools, const std::vector<Results>& results) {
  for (std::size_t i = 0; i < tools.size(); i++)
    fmt::print("{:<14} BPF ns a switch {:<28} switches/s {:<32} {:.2f} times slower\n",
               tools[i].name, results[i].ns.text(0), results[i].switches.text(0),
               results[0].switches.median() / results[i].switches.median());
  check_measured("BPF ns a switch", results[1].ns.median());
  if (tools.size() < 3 || tools[2].name != "libbpf-tools") return;
  const double ratio = results[1].ns.median() / results[2].ns.median();
  fmt::print("wick/libbpf-tools {:.2f} (wanted ≤ 0.33) {}\n", ratio,
             ratio <= 1.0 / 3 ? "ok" : "MISSED");
}

}  // namespace
}  // namespace wick::bench

int main(int argc, char** argv) {
  using namespace wick::bench;
  if (argc < 3) {
    fmt::print("usage: {} WICK PING_PONG [ROUNDS]\n", argv[0]);
    return 2;
  }
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  const std::vector<Tool> tools = tools_of(argv[1]);
  std::vector<Results> results(tools.size());
  for (int round = 0; round < rounds; round++) {
    for (std::size_t i = 0; i < tools.size(); i++) {
      if (i > 0) results[i].ns.values.push_back(measure(tools[i], argv[2], true).ns);
      results[i].switches.values.push_back(measure(tools[i], argv[2], false).switches);
    }
  }
  report(tools, results);
}
