#include "web/loopback_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "base/clock.h"

namespace wick {
namespace {

constexpr std::size_t kMostConnections = 32;
constexpr u64 kLongestIdleNs = 15 * kNanosPerSecond;
constexpr int kPollMs = 1000;
constexpr int kBacklog = 16;
constexpr std::size_t kTokenBytes = 16;

constexpr std::string_view kHeaders =
    "Cache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Connection: close\r\n";

Result<std::string> random_token() {
  std::array<unsigned char, kTokenBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return fail_errno("get random bytes");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

// Takes as long for every wrong guess.
bool same_secret(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < left.size(); i++)
    difference |= static_cast<unsigned char>(left[i] ^ right[i]);
  return difference == 0;
}

Result<Fd> listen_on(u16 port) {
  Fd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!listener.valid()) return fail_errno("make a socket");
  // The port of a server that ended a moment ago may be taken again.
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return fail_errno(fmt::format("listen on 127.0.0.1:{}", port));
  if (::listen(listener.get(), kBacklog) != 0) return fail_errno("listen");
  return listener;
}

Result<u16> port_of(const Fd& listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return fail_errno("ask for the port");
  return ntohs(address.sin_port);
}

std::string answer_head(std::string_view status, std::string_view type, std::size_t size) {
  return fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n", status,
                     type, size, kHeaders);
}

bool is_temporary(int code) {
  return code == EAGAIN || code == EWOULDBLOCK || code == EINTR;
}

}  // namespace

Result<LoopbackServer> LoopbackServer::open(u16 port, std::string document) {
  Fd listener = TRY(listen_on(port));
  const u16 bound = TRY(port_of(listener));
  std::string token = TRY(random_token());
  return LoopbackServer{std::move(listener), bound, std::move(token), std::move(document)};
}

LoopbackServer::LoopbackServer(Fd listener, u16 port, std::string token, std::string document)
    : listener_(std::move(listener)),
      port_(port),
      path_("/" + token + "/"),
      url_(fmt::format("http://127.0.0.1:{}{}", port, path_)),
      document_(std::move(document)) {}

Status LoopbackServer::run(int stop_fd) {
  std::vector<pollfd> wanted;
  for (;;) {
    const bool has_room = connections_.size() < kMostConnections;
    wanted.assign({pollfd{.fd = stop_fd, .events = POLLIN},
                   pollfd{.fd = has_room ? listener_.get() : -1, .events = POLLIN}});
    for (const Connection& connection : connections_) {
      const bool reading = connection.head.empty() && connection.body.empty();
      wanted.push_back(
          {.fd = connection.fd.get(), .events = static_cast<short>(reading ? POLLIN : POLLOUT)});
    }
    if (::poll(wanted.data(), wanted.size(), kPollMs) < 0 && errno != EINTR)
      return fail_errno("wait for the browser");
    if (wanted[0].revents != 0) return {};

    std::vector<Connection> kept;
    for (std::size_t i = 0; i < connections_.size(); i++) {
      Connection& connection = connections_[i];
      const bool ready = wanted[i + 2].revents != 0;
      const bool idle = monotonic_ns() - connection.idle_since_ns > kLongestIdleNs;
      if (ready ? serve(connection) : !idle) kept.push_back(std::move(connection));
    }
    connections_ = std::move(kept);
    if (wanted[1].revents != 0) accept_one();
  }
}

void LoopbackServer::accept_one() {
  Fd fd{::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  if (!fd.valid()) return;  // it changed its mind
  connections_.push_back({.fd = std::move(fd), .idle_since_ns = monotonic_ns()});
}

bool LoopbackServer::serve(Connection& connection) {
  if (connection.head.empty() && connection.body.empty() && !receive(connection)) return false;
  return send(connection);
}

bool LoopbackServer::receive(Connection& connection) {
  std::array<char, 4096> buffer;
  const ssize_t size = ::recv(connection.fd.get(), buffer.data(), buffer.size(), 0);
  if (size <= 0) return size < 0 && is_temporary(errno);
  // The time to send a head is counted from its beginning: slow senders do not get more.
  connection.received.append(buffer.data(), static_cast<std::size_t>(size));
  const ParsedHead parsed = parse_head(connection.received);
  if (parsed.state != HeadState::incomplete) answer(connection, parsed);
  return true;
}

bool LoopbackServer::send(Connection& connection) {
  if (connection.head.empty() && connection.body.empty()) return true;
  const auto push = [&](std::string_view data) {
    return ::send(connection.fd.get(), data.data(), data.size(), MSG_NOSIGNAL);
  };
  while (!connection.head.empty() || !connection.body.empty()) {
    const bool in_head = !connection.head.empty();
    const ssize_t size = push(in_head ? std::string_view{connection.head} : connection.body);
    if (size < 0) return is_temporary(errno);
    connection.idle_since_ns = monotonic_ns();
    if (in_head)
      connection.head.erase(0, static_cast<std::size_t>(size));
    else
      connection.body.remove_prefix(static_cast<std::size_t>(size));
  }
  return false;  // all said
}

bool LoopbackServer::is_ours(const HttpRequest& request) const {
  const bool host = request.host == fmt::format("127.0.0.1:{}", port_) ||
                    request.host == fmt::format("localhost:{}", port_);
  return host && same_secret(request.target, path_);
}

void LoopbackServer::answer(Connection& connection, const ParsedHead& parsed) const {
  constexpr std::string_view kText = "text/plain; charset=utf-8";
  constexpr std::string_view kHtml = "text/html; charset=utf-8";
  const std::string_view method = parsed.request.method;
  if (parsed.state == HeadState::too_long) {
    connection.head = answer_head("431 Request Header Fields Too Large", kText, 0);
  } else if (parsed.state == HeadState::malformed) {
    connection.head = answer_head("400 Bad Request", kText, 0);
  } else if (!is_ours(parsed.request)) {
    connection.head = answer_head("404 Not Found", kText, 0);
  } else if (method != "GET" && method != "HEAD") {
    connection.head = answer_head("405 Method Not Allowed", kText, 0);
  } else {
    connection.head = answer_head("200 OK", kHtml, document_.size());
    if (method == "GET") connection.body = document_;
  }
  connection.received.clear();
}

}  // namespace wick
