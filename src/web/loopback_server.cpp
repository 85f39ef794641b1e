#include "web/loopback_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "base/text.h"
#include "web/secret.h"

namespace wick {
namespace {

constexpr std::size_t kMostConnections = 32;
// To send a head, and to take the next piece of the answer.
constexpr u64 kLongestHeadNs = 5 * kNanosPerSecond;
constexpr u64 kLongestIdleNs = 15 * kNanosPerSecond;
constexpr int kPollMs = 1000;
constexpr int kBacklog = 16;

constexpr std::string_view kHeaders =
    "Cache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Connection: close\r\n";

Result<Fd> listen_on(const LoopbackAddress& address) {
  sockaddr_storage storage{};
  const socklen_t size = address.fill(storage);
  Fd listener{::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!listener.valid()) return fail_errno("make a socket");
  // The port of a server that ended a moment ago may be taken again.
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&storage), size) != 0)
    return fail_errno("listen on " + address.text());
  if (::listen(listener.get(), kBacklog) != 0) return fail_errno("listen");
  return listener;
}

// The port stands in the same place for both kinds of addresses.
Result<u16> port_of(const Fd& listener) {
  sockaddr_in6 address{};
  socklen_t size = sizeof address;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return fail_errno("ask for the port");
  return ntohs(address.sin6_port);
}

bool watch(const Fd& events, int operation, int fd, u32 what) {
  epoll_event event{.events = what, .data = {.fd = fd}};
  return ::epoll_ctl(events.get(), operation, fd, &event) == 0;
}

std::string answer_head(std::string_view status, std::string_view type, std::size_t size) {
  return fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n", status,
                     type, size, kHeaders);
}

bool is_temporary(int code) {
  return code == EAGAIN || code == EWOULDBLOCK || code == EINTR;
}

}  // namespace

Result<LoopbackServer> LoopbackServer::open(const LoopbackAddress& address,
                                            ServedDocument document) {
  Fd listener = TRY(listen_on(address));
  LoopbackAddress bound = address;
  bound.port = TRY(port_of(listener));
  Fd events{::epoll_create1(EPOLL_CLOEXEC)};
  if (!events.valid() || !watch(events, EPOLL_CTL_ADD, listener.get(), EPOLLIN))
    return fail_errno("watch the server's socket");
  return LoopbackServer{std::move(listener), std::move(events), std::move(bound),
                        std::move(document)};
}

Result<LoopbackServer> LoopbackServer::open(u16 port, std::string page) {
  const auto kept = std::make_shared<const std::string>(std::move(page));
  return open(LoopbackAddress{.port = port}, {.path = "/" + TRY(random_secret()) + "/",
                                              .type = "text/html; charset=utf-8",
                                              .make = [kept] { return kept; }});
}

LoopbackServer::LoopbackServer(Fd listener, Fd events, LoopbackAddress address,
                               ServedDocument document)
    : listener_(std::move(listener)),
      events_(std::move(events)),
      address_(std::move(address)),
      document_(std::move(document)),
      url_(fmt::format("http://{}{}", address_.text(), document_.path)) {}

Status LoopbackServer::run(int stop_fd) {
  std::array<pollfd, 2> wanted{pollfd{.fd = stop_fd, .events = POLLIN, .revents = 0},
                               pollfd{.fd = fd(), .events = POLLIN, .revents = 0}};
  for (;;) {
    if (::poll(wanted.data(), wanted.size(), kPollMs) < 0 && errno != EINTR)
      return fail_errno("wait for the browser");
    if (wanted[0].revents != 0) return {};
    serve_ready();
  }
}

void LoopbackServer::serve_ready() {
  std::array<epoll_event, kMostConnections + 1> ready;
  const int count = ::epoll_wait(events_.get(), ready.data(), static_cast<int>(ready.size()), 0);
  for (int i = 0; i < count; i++) {
    const int fd = ready[static_cast<std::size_t>(i)].data.fd;
    if (fd == listener_.get())
      accept_ready();
    else
      serve_one(fd);
  }
  drop_idle();
}

// Connections that say nothing must not keep others out, whoever made them: the one that has been
// idle for longest makes room, first of those that have not asked for anything yet.
void LoopbackServer::make_room() {
  if (connections_.size() < kMostConnections) return;
  const auto rank = [](const Connection& one) {
    return std::pair{!one.head.empty(), one.idle_since_ns};
  };
  connections_.erase(std::ranges::min_element(connections_, {}, rank));
}

void LoopbackServer::accept_ready() {
  for (std::size_t i = 0; i < kMostConnections; i++) {
    Fd fd{::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (!fd.valid()) return;  // no more
    if (!watch(events_, EPOLL_CTL_ADD, fd.get(), EPOLLIN)) continue;
    make_room();
    const int number = fd.get();
    connections_.push_back({.fd = std::move(fd), .idle_since_ns = monotonic_ns()});
    serve_one(number);  // most have sent their head by now, and need not wait their turn
  }
}

void LoopbackServer::serve_one(int fd) {
  const auto connection = std::ranges::find_if(
      connections_, [fd](const Connection& one) { return one.fd.get() == fd; });
  if (connection == connections_.end()) return;
  const bool reading = connection->head.empty();
  bool goes_on = !reading || receive(*connection);
  if (goes_on && !connection->head.empty()) {
    goes_on = send(*connection);
    if (reading && goes_on) goes_on = watch(events_, EPOLL_CTL_MOD, fd, EPOLLOUT);
  }
  if (!goes_on) connections_.erase(connection);
}

void LoopbackServer::drop_idle() {
  const auto is_idle = [now = monotonic_ns()](const Connection& one) {
    return now - one.idle_since_ns > (one.head.empty() ? kLongestHeadNs : kLongestIdleNs);
  };
  std::erase_if(connections_, is_idle);
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
  const std::size_t head_size = connection.head.size();
  const std::size_t whole = head_size + (connection.body ? connection.body->size() : 0);
  while (connection.sent < whole) {
    const bool in_head = connection.sent < head_size;
    const std::string_view rest =
        in_head ? std::string_view{connection.head}.substr(connection.sent)
                : std::string_view{*connection.body}.substr(connection.sent - head_size);
    const ssize_t size = ::send(connection.fd.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (size < 0) return is_temporary(errno);
    connection.idle_since_ns = monotonic_ns();
    connection.sent += static_cast<std::size_t>(size);
  }
  return false;  // all said
}

bool LoopbackServer::is_ours(const HttpRequest& request) const {
  const bool host =
      request.host == address_.text() || request.host == fmt::format("localhost:{}", address_.port);
  return host && same_secret(request.target, document_.path);
}

bool LoopbackServer::is_allowed(const HttpRequest& request) const {
  if (document_.token.empty()) return true;
  std::string_view given = request.authorization;
  return take_until(given, ' ') == "Bearer" && same_secret(trim(given), document_.token);
}

void LoopbackServer::answer(Connection& connection, const ParsedHead& parsed) const {
  constexpr std::string_view kText = "text/plain; charset=utf-8";
  const std::string_view method = parsed.request.method;
  if (parsed.state == HeadState::too_long) {
    connection.head = answer_head("431 Request Header Fields Too Large", kText, 0);
  } else if (parsed.state == HeadState::malformed) {
    connection.head = answer_head("400 Bad Request", kText, 0);
  } else if (!is_ours(parsed.request)) {
    connection.head = answer_head("404 Not Found", kText, 0);
  } else if (!is_allowed(parsed.request)) {
    connection.head = answer_head("401 Unauthorized\r\nWWW-Authenticate: Bearer", kText, 0);
  } else if (method != "GET" && method != "HEAD") {
    connection.head = answer_head("405 Method Not Allowed", kText, 0);
  } else {
    const std::shared_ptr<const std::string> body = document_.make();
    connection.head = answer_head("200 OK", document_.type, body->size());
    if (method == "GET") connection.body = body;
  }
  connection.received.clear();
}

}  // namespace wick
