// LoopbackServer: one document over HTTP, for the programs of this machine and of nobody else. It
// is bound to a loopback address, and a page of another name that was made to point here (DNS
// rebinding) is refused by its Host header. All but the document's path is answered with 404.
// Users of this machine are told apart by a secret: a report's path is 128 random bits, a document
// at a known path has a token.
//
//   LoopbackServer server = TRY(LoopbackServer::open(0, std::move(html)));
//   session.note(server.url());
//   TRY(server.run(session.stop_fd()));        // until it is readable
//
// Or, for a document that changes and a program that has more to do:
//
//   auto server = TRY(LoopbackServer::open(address, {.path = "/metrics", .type = …, .make = …}));
//   waiter.watch(server.fd());                 // readable when there is something to do
//   server.serve_ready();                      // never waits
//
// One thread; connections, heads and idle times are bounded.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "web/http_request.h"
#include "web/loopback_address.h"

namespace wick {

struct ServedDocument {
  std::string path;  // "/metrics"
  std::string_view type;
  std::function<std::shared_ptr<const std::string>()> make;  // asked for each answer
  std::string token = {};  // "Authorization: Bearer TOKEN" must come with a request; empty: not
};

class LoopbackServer {
 public:
  [[nodiscard]] static Result<LoopbackServer> open(const LoopbackAddress& address,
                                                   ServedDocument document);
  // A page that stays as it is, under a path nobody guesses. Port 0: any that is free.
  [[nodiscard]] static Result<LoopbackServer> open(u16 port, std::string page);

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] u16 port() const { return address_.port; }
  [[nodiscard]] Status run(int stop_fd);
  [[nodiscard]] int fd() const { return events_.get(); }
  void serve_ready();

 private:
  struct Connection {
    Fd fd;
    u64 idle_since_ns = 0;
    std::string received;
    std::string head;                         // of the answer; empty while the request is read
    std::shared_ptr<const std::string> body;  // none: the head is all
    std::size_t sent = 0;                     // of both
  };

  LoopbackServer(Fd listener, Fd events, LoopbackAddress address, ServedDocument document);
  void accept_ready();
  void make_room();
  void serve_one(int fd);
  void drop_idle();
  // False when the connection is done with.
  [[nodiscard]] bool receive(Connection& connection);
  [[nodiscard]] bool send(Connection& connection);
  void answer(Connection& connection, const ParsedHead& parsed) const;
  [[nodiscard]] bool is_ours(const HttpRequest& request) const;
  [[nodiscard]] bool is_allowed(const HttpRequest& request) const;

  Fd listener_;
  Fd events_;  // epoll
  LoopbackAddress address_;
  ServedDocument document_;
  std::string url_;
  std::vector<Connection> connections_;
};

}  // namespace wick
