// syscount against libbpf-tools', in turns: bench_syscount WICK WORKLOAD [ROUNDS]
//
// WORKLOAD is tests/workload/calls, which calls getppid as fast as it can, a million times a second
// and more. What is told is how much longer a call takes while the tool counts the calls of the
// whole system.
#include <array>
#include <cstdio>
#include <memory>

#include "bench/measure.h"

namespace wick::bench {
namespace {

constexpr const char* kPeer = "/usr/sbin/syscount";
const std::string kSeconds = shorter("0.5", "0.2");
const unsigned kWarmUpMicroseconds = shorter(500'000U, 200'000U);

// CPU time of a call in nanoseconds, over half a second: others on the machine do not count.
double call_ns(const std::string& workload) {
  const std::string command = workload + " --rate 1 --seconds " + kSeconds;
  const std::unique_ptr<FILE, int (*)(FILE*)> out{::popen(command.c_str(), "r"), ::pclose};
  std::array<char, 256> line{};
  double ns = 0;
  while (std::fgets(line.data(), line.size(), out.get()) != nullptr)
    std::sscanf(line.data(), "cpu_ns_per_call=%lf", &ns);
  return ns;
}

double traced_call_ns(const std::string& workload, const std::vector<std::string>& tool) {
  const pid_t tracer = start_quietly(tool);
  ::usleep(kWarmUpMicroseconds);
  const double ns = call_ns(workload);
  end(tracer, SIGINT);
  return ns;
}

void compare(const std::string& wick, const std::string& workload, int rounds,
             const std::vector<std::string>& options) {
  std::vector<std::string> own{wick, "syscount"};
  std::vector<std::string> peer{kPeer};
  own.insert(own.end(), options.begin(), options.end());
  peer.insert(peer.end(), options.begin(), options.end());
  Series own_ns;
  Series peer_ns;
  const bool has_peer = is_installed(kPeer);
  for (int round = 0; round < rounds; round++) {
    const double alone = call_ns(workload);
    const double traced = traced_call_ns(workload, own);
    check_measured("ns a call", alone > 0 ? traced : 0);
    own_ns.values.push_back(traced - alone);
    if (has_peer) peer_ns.values.push_back(traced_call_ns(workload, peer) - alone);
  }
  fmt::print("{:<14} ns more a call  wick {:<18}  libbpf-tools {:<18}  ratio {:.2f}\n",
             fmt::format("syscount {}", fmt::join(options, " ")), own_ns.text(0), peer_ns.text(0),
             own_ns.median() / peer_ns.median());
}

}  // namespace
}  // namespace wick::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print("usage: bench_syscount WICK WORKLOAD [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"-P"}, {"-x"}, {"-L"}, {"-L", "-P"}}) {
    wick::bench::compare(argv[1], argv[2], rounds, options);
    if (wick::bench::is_smoke_test()) break;
  }
  return 0;
}
