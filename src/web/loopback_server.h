// LoopbackServer: one document over HTTP, for the browsers of this machine and of nobody else. It
// is bound to 127.0.0.1, the document's path is 128 random bits, and a page of another name that
// was made to point here (DNS rebinding) is refused by its Host header. All else is answered with
// 404.
//
//   LoopbackServer server = TRY(LoopbackServer::open(0, std::move(html)));
//   session.note(server.url());
//   TRY(server.run(session.stop_fd()));        // until it is readable
//
// One thread; connections, heads and idle times are bounded.
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "web/http_request.h"

namespace wick {

class LoopbackServer {
 public:
  // Port 0: any that is free.
  [[nodiscard]] static Result<LoopbackServer> open(u16 port, std::string document);

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] u16 port() const { return port_; }
  [[nodiscard]] Status run(int stop_fd);

 private:
  struct Connection {
    Fd fd;
    u64 idle_since_ns = 0;
    std::string received;
    std::string head;       // of the answer; empty while the request is read
    std::string_view body;  // what of it is still to be sent
  };

  LoopbackServer(Fd listener, u16 port, std::string token, std::string document);
  void accept_one();
  // False when the connection is done with.
  [[nodiscard]] bool serve(Connection& connection);
  [[nodiscard]] bool receive(Connection& connection);
  [[nodiscard]] bool send(Connection& connection);
  void answer(Connection& connection, const ParsedHead& parsed) const;
  [[nodiscard]] bool is_ours(const HttpRequest& request) const;

  Fd listener_;
  u16 port_;
  std::string path_;
  std::string url_;
  std::string document_;
  std::vector<Connection> connections_;
};

}  // namespace wick
