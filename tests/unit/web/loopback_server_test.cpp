#include "web/loopback_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace wick {
namespace {

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = LoopbackServer::open(0, document_);
    ASSERT_TRUE(server) << server.error().text();
    port_ = server->port();
    url_ = server->url();
    path_ = url_.substr(url_.find('/', 7));
    thread_ = std::thread(
        [this, server = std::move(*server)]() mutable { EXPECT_TRUE(server.run(stop_.get())); });
  }
  void TearDown() override {
    const u64 one = 1;
    EXPECT_EQ(::write(stop_.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] Fd connected() const {
    Fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  static std::string rest_of(const Fd& fd) {
    auto text = read_to_end(fd, std::size_t{64} << 20);
    return text ? *text : "";
  }
  [[nodiscard]] std::string ask(const std::string& request) const {
    const Fd fd = connected();
    EXPECT_TRUE(write_all(fd.get(), request));
    return rest_of(fd);
  }
  [[nodiscard]] std::string request(std::string_view method, std::string_view path,
                                    std::string_view host) const {
    return fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n\r\n", method, path, host);
  }
  [[nodiscard]] std::string own_host() const { return fmt::format("127.0.0.1:{}", port_); }

  const std::string document_ = "<!doctype html>" + std::string(std::size_t{3} << 20, 'x');
  Fd stop_{::eventfd(0, EFD_CLOEXEC)};
  std::thread thread_;
  u16 port_ = 0;
  std::string url_;
  std::string path_;
};

bool has_status(const std::string& answer, std::string_view status) {
  return answer.starts_with(fmt::format("HTTP/1.1 {}", status));
}

TEST_F(ServerTest, ServesTheDocumentWhole) {
  const std::string answer = ask(request("GET", path_, own_host()));
  EXPECT_TRUE(has_status(answer, "200"));
  EXPECT_TRUE(answer.ends_with("\r\n\r\n" + document_));
  EXPECT_TRUE(answer.contains(fmt::format("Content-Length: {}\r\n", document_.size())));
}

TEST_F(ServerTest, NothingIsCachedSniffedOrFramed) {
  const std::string answer = ask(request("HEAD", path_, own_host()));
  EXPECT_TRUE(has_status(answer, "200"));
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
  for (const char* header : {"Cache-Control: no-store", "X-Content-Type-Options: nosniff",
                             "X-Frame-Options: DENY", "Referrer-Policy: no-referrer"})
    EXPECT_TRUE(answer.contains(header)) << header;
  EXPECT_FALSE(answer.contains("Access-Control-Allow"));
}

TEST_F(ServerTest, ThePathHas128RandomBits) {
  EXPECT_EQ(path_.size(), 34U);
  EXPECT_TRUE(std::ranges::all_of(path_.substr(1, 32), [](char c) { return ::isxdigit(c); }));
  auto other = LoopbackServer::open(0, "");
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->url().ends_with(path_));
}

TEST_F(ServerTest, OtherPathsAreNotFound) {
  for (const std::string& path : {std::string("/"), path_.substr(0, 33), path_ + "x", "/x" + path_})
    EXPECT_TRUE(has_status(ask(request("GET", path, own_host())), "404")) << path;
}

TEST_F(ServerTest, AnotherHostIsNotFound) {
  for (const char* host : {"evil.example", "127.0.0.1", "evil.example:80", ""})
    EXPECT_TRUE(has_status(ask(request("GET", path_, host)), "404")) << host;
  EXPECT_TRUE(has_status(ask(request("GET", path_, fmt::format("localhost:{}", port_))), "200"));
}

TEST_F(ServerTest, OnlyReadingIsAllowed) {
  EXPECT_TRUE(has_status(ask(request("POST", path_, own_host())), "405"));
  EXPECT_TRUE(has_status(ask("rubbish\r\n\r\n"), "400"));
}

TEST_F(ServerTest, ManyIdleConnectionsEndWithTheServer) {
  std::vector<Fd> idle;
  for (int i = 0; i < 8; i++) idle.push_back(connected());
  EXPECT_TRUE(has_status(ask(request("GET", path_, own_host())), "200"));
}

// More of them than connections are kept: the oldest idle one makes room, at once.
TEST_F(ServerTest, SilentConnectionsKeepNobodyOut) {
  std::vector<Fd> silent;
  for (int i = 0; i < 100; i++) silent.push_back(connected());
  EXPECT_TRUE(has_status(ask(request("HEAD", path_, own_host())), "200"));
  EXPECT_EQ(rest_of(silent.front()), "");  // ended, where it would have waited
}

TEST(TokenServer, AnswersOnlyWhoHasTheToken) {
  const auto body = std::make_shared<const std::string>("secret");
  auto server = LoopbackServer::open(LoopbackAddress{}, {.path = "/metrics",
                                                         .type = "text/plain",
                                                         .make = [body] { return body; },
                                                         .token = "0123456789abcdef"});
  ASSERT_TRUE(server);
  const auto ask = [&](std::string_view header) {
    const Fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_TRUE(
        write_all(fd.get(), fmt::format("GET /metrics HTTP/1.1\r\nHost: {}\r\n{}\r\n",
                                        fmt::format("127.0.0.1:{}", server->port()), header)));
    server->serve_ready();
    return *read_to_end(fd);
  };
  EXPECT_TRUE(ask("Authorization: Bearer 0123456789abcdef\r\n").ends_with("secret"));
  for (const char* header :
       {"", "Authorization: Bearer 0123456789abcdeg\r\n", "Authorization: Bearer\r\n",
        "Authorization: 0123456789abcdef\r\n", "Authorization: Basic 0123456789abcdef\r\n",
        "Authorization: Bearer 0123456789abcdef0\r\n",
        "Authorization: Bearer 0123456789abcdef\r\nAuthorization: Bearer x\r\n"}) {
    const std::string answer = ask(header);
    EXPECT_TRUE(has_status(answer, "401")) << header;
    EXPECT_FALSE(answer.contains("secret")) << header;
    EXPECT_TRUE(answer.contains("WWW-Authenticate: Bearer\r\n")) << header;
  }
}

TEST_F(ServerTest, ARequestMayComeByteByByte) {
  const Fd fd = connected();
  for (const char c : request("HEAD", path_, own_host()))
    ASSERT_TRUE(write_all(fd.get(), std::string_view{&c, 1}));
  EXPECT_TRUE(has_status(rest_of(fd), "200"));
}

// Asks by a socket of its own, serving in between, as one thread does.
std::string asked_in_turns(LoopbackServer& server, const std::string& request) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(server.port());
  address.sin6_addr = in6addr_loopback;
  const Fd fd{::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(write_all(fd.get(), request));
  for (int i = 0; i < 10; i++) server.serve_ready();
  auto text = read_to_end(fd, 4096);
  return text ? *text : "";
}

TEST(LoopbackServer, ADocumentMayChangeBetweenTwoAnswers) {
  int asked = 0;
  auto server = LoopbackServer::open(
      LoopbackAddress{.host = "::1"},
      {.path = "/metrics", .type = "text/plain", .make = [&] {
         return std::make_shared<const std::string>(fmt::format("number {}\n", ++asked));
       }});
  if (!server) GTEST_SKIP() << "no IPv6 here";
  EXPECT_EQ(server->url(), fmt::format("http://[::1]:{}/metrics", server->port()));
  const std::string request =
      fmt::format("GET /metrics HTTP/1.1\r\nHost: [::1]:{}\r\n\r\n", server->port());
  EXPECT_TRUE(asked_in_turns(*server, request).ends_with("\r\n\r\nnumber 1\n"));
  EXPECT_TRUE(asked_in_turns(*server, request).ends_with("\r\n\r\nnumber 2\n"));
}

TEST_F(ServerTest, MoreConnectionsThanItHoldsWaitForTheirTurn) {
  std::vector<Fd> idle;
  for (int i = 0; i < 40; i++) idle.push_back(connected());
  const Fd waiting = connected();
  EXPECT_TRUE(write_all(waiting.get(), request("HEAD", path_, own_host())));
  idle.clear();
  EXPECT_TRUE(has_status(rest_of(waiting), "200"));
}

TEST(LoopbackServer, ATakenPortIsAnErrorThatNamesIt) {
  auto first = LoopbackServer::open(0, "");
  ASSERT_TRUE(first);
  const auto second = LoopbackServer::open(first->port(), "");
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().text().contains(fmt::format("127.0.0.1:{}", first->port())));
}

}  // namespace
}  // namespace wick
