// runqlat and cpudist against libbpf-tools', in turns: bench_switches WICK WORKLOAD [ROUNDS]
//
// WORKLOAD is tests/workload/scheduled: two threads on one CPU wake each other by pipes, some
// 300,000 switches a second. What a switch costs is the time of all programs of the tool, by the
// kernel's own count, over the runs of the one that runs most often: the one on sched_switch.
#include <bpf/bpf.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string_view>
#include <thread>

#include "base/fd.h"
#include "bench/measure.h"

namespace wick::bench {
namespace {

constexpr std::string_view kPeers = "/usr/sbin/";
constexpr auto kWarmUp = std::chrono::milliseconds(300);

u32 newest_program() {
  u32 newest = 0;
  for (u32 id = 0; bpf_prog_get_next_id(id, &id) == 0;) newest = id;
  return newest;
}

// Of the programs loaded after `before`.
double ns_per_switch(u32 before) {
  double ns = 0;
  u64 switches = 0;
  for (u32 id = before; bpf_prog_get_next_id(id, &id) == 0;) {
    const Fd fd{bpf_prog_get_fd_by_id(id)};
    bpf_prog_info info{};
    u32 size = sizeof(info);
    if (bpf_obj_get_info_by_fd(fd.get(), &info, &size) != 0) continue;
    ns += static_cast<double>(info.run_time_ns);
    switches = std::max<u64>(switches, info.run_cnt);
  }
  return switches == 0 ? 0 : ns / static_cast<double>(switches);
}

double measure(const std::string& workload, const std::vector<std::string>& tool) {
  const pid_t players = start_quietly({workload, "pingpong", "--seconds", "30"});
  std::this_thread::sleep_for(kWarmUp);
  const u32 before = newest_program();
  const pid_t tracer = start_quietly(tool);
  for (int looks = 0; looks < 500 && ns_per_switch(before) == 0; looks++)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::this_thread::sleep_for(std::chrono::milliseconds(shorter(2000, 100)));
  const double ns = ns_per_switch(before);
  end(tracer, SIGINT);
  end(players, SIGTERM);
  return ns;
}

void compare(const std::string& wick, const std::string& workload, int rounds,
             const std::string& name, const std::vector<std::string>& options) {
  std::vector<std::string> own{wick, name};
  std::vector<std::string> peer{std::string(kPeers) + name};
  own.insert(own.end(), options.begin(), options.end());
  peer.insert(peer.end(), options.begin(), options.end());
  Series own_ns;
  Series peer_ns;
  const bool has_peer = is_installed(peer[0]);
  for (int round = 0; round < rounds; round++) {
    own_ns.values.push_back(measure(workload, own));
    if (has_peer) peer_ns.values.push_back(measure(workload, peer));
  }
  check_measured(name, own_ns.median());
  fmt::print("{:<14} ns a switch  wick {:<16}  libbpf-tools {:<16}  ratio {:.2f}\n",
             fmt::format("{} {}", name, fmt::join(options, " ")), own_ns.text(0), peer_ns.text(0),
             own_ns.median() / peer_ns.median());
}

}  // namespace
}  // namespace wick::bench

int main(int argc, char** argv) {
  using namespace wick;
  if (argc < 3) {
    fmt::print("usage: bench_switches WICK WORKLOAD [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  const Fd stats{bpf_enable_stats(BPF_STATS_RUN_TIME)};
  for (const auto& [name, options] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"runqlat", {}}, {"runqlat", {"-P"}}, {"cpudist", {}}, {"cpudist", {"-O"}}})
    bench::compare(argv[1], argv[2], rounds, name, options);
  return 0;
}
