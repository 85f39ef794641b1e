// packets [--each N] -- COMMAND...: runs COMMAND in a network namespace of its own and, when its
// BPF programs are attached, sends N (2,000) UDP packets of each of five sizes over lo; then it
// ends COMMAND by SIGINT and tells its exit status. Nobody else is on that lo.
//
// Payloads are 10, 100, 1,000, 5,000 and 30,000 bytes; 42 bytes of headers go before them, of which
// 14 are the link's.
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>

#include "workload.h"

using namespace workload;

namespace {

constexpr std::array kPayloads{10, 100, 1'000, 5'000, 30'000};

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

void bring_up_loopback() {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  if (::ioctl(fd, SIOCGIFFLAGS, &request) != 0) give_up("lo");
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  if (::ioctl(fd, SIOCSIFFLAGS, &request) != 0) give_up("lo up");
  ::close(fd);
}

// To a socket that is there and that nobody reads: what does not fit is dropped behind the device.
void send_packets(int each) {
  const int to = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const int from = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(4321);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* const there = reinterpret_cast<const sockaddr*>(&address);
  if (::bind(to, there, sizeof(address)) != 0) give_up("bind");
  const std::vector<char> data(kPayloads.back());
  for (int i = 0; i < each; i++)
    for (const int size : kPayloads)
      if (::sendto(from, data.data(), static_cast<std::size_t>(size), 0, there, sizeof(address)) !=
          size)
        give_up("sendto");
}

}  // namespace

int main(int argc, char** argv) {
  int command = 1;
  while (command < argc && std::string_view{argv[command]} != "--") command++;
  const Options options(command, argv);
  if (command + 1 >= argc) return 2;
  if (::unshare(CLONE_NEWNET) != 0) give_up("unshare");
  bring_up_loopback();
  const pid_t child = ::fork();
  if (child == 0) {
    ::execvp(argv[command + 1], argv + command + 1);
    ::_exit(127);
  }
  wait_until([&] { return is_tracing("/proc/" + std::to_string(child)); });
  send_packets(static_cast<int>(options.number("each", 2'000)));
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
