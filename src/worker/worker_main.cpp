#include "worker/worker_main.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <new>
#include <string_view>

#include "worker/answers.h"
#include "worker/confine.h"
#include "worker/exchange.h"
#include "worker/requests.h"

namespace wick {
namespace {

// Set once, before there is a second thread.
bool main_asks = false;

// Ctrl-C is for the parent, which closes the socket when it has ended.
void leave_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(signal, SIG_IGN);
}

// Only the socket and the standard streams, which are /dev/null, stay open.
void close_others(int socket) {
  const auto number = static_cast<unsigned>(socket);
  if (number > 3) ::syscall(SYS_close_range, 3U, number - 1, 0);
  ::syscall(SYS_close_range, number + 1, ~0U, 0);
}

// Asks the parent while a request is worked on.
class AskingHost final : public WorkHost {
 public:
  explicit AskingHost(const Exchange& exchange) : exchange_(exchange) {}

  Result<Fd> open_offered(bool below_root, const std::string& path) override {
    WireWriter out;
    out.put<u8>(below_root ? 1 : 0);
    out.text(path);
    return file_of(ask(MessageKind::open_file, out));
  }
  Result<Fd> download(const std::string& build_id) override {
    WireWriter out;
    out.text(build_id);
    return file_of(ask(MessageKind::download, out));
  }
  bool is_known(const std::string& identity) override {
    WireWriter out;
    out.text(identity);
    const auto reply = ask(MessageKind::is_known, out);
    return reply && reply->bytes.size() == 1 && reply->bytes.front() != std::byte{0};
  }

 private:
  Result<Message> ask(MessageKind kind, const WireWriter& out) {
    TRY(exchange_.send(kind, out.bytes()));
    return exchange_.receive();
  }
  static Result<Fd> file_of(Result<Message> reply) {
    if (!reply) return std::unexpected(std::move(reply).error());
    if (reply->files.empty()) return fail("there is no such file");
    return std::move(reply->files.front());
  }

  const Exchange& exchange_;
};

BudgetTerms terms_of(const RequestHeader& header, RunBudget& run) {
  if (header.wary) run.make_wary();
  return {.run = &run, .stop = {}};
}

std::vector<std::byte> answer(const Exchange& exchange, Message& message) {
  ByteReader in{message.bytes};
  const RequestHeader header = decode_request_header(in);
  if (header.crash) std::raise(SIGABRT);
  AskingHost host{exchange};
  RunBudget run;
  Fd file = message.files.empty() ? Fd{} : std::move(message.files.front());
  if (message.kind == MessageKind::names_request)
    return encode(
        read_names(std::move(file), decode_names_request(in), host, terms_of(header, run)));
  const DigestSecret secret = decode_table_request(in);
  return encode(read_table(std::move(file), secret, host, terms_of(header, run)));
}

// A file that needs more memory than there is has no answer; the next may be smaller.
std::vector<std::byte> answer_or_nothing(const Exchange& exchange, Message& message) {
  try {
    std::vector<std::byte> bytes = answer(exchange, message);
    return bytes.size() <= Exchange::kLimitBytes ? std::move(bytes) : std::vector<std::byte>{};
  } catch (const std::bad_alloc&) {
    return {};
  }
}

}  // namespace

void become_worker_if_asked(int argument_count, char** arguments) {
  main_asks = true;
  if (argument_count == 2 && std::string_view(arguments[1]) == kWorkerArgument)
    run_worker(Fd{kWorkerSocket});
}

bool becomes_worker_if_asked() {
  return main_asks;
}

void run_worker(Fd socket) {
  leave_signals();
  ::prctl(PR_SET_NAME, "wick-worker");
  close_others(socket.get());
  Exchange exchange{std::move(socket), Fd{}};
  if (!exchange.take_area()) ::_exit(1);
  if (const Status confined = confine({.file_bytes = Exchange::kLimitBytes}); !confined) {
    const std::string why = confined.error().text();
    (void)exchange.send(MessageKind::unconfined, std::as_bytes(std::span(why)));
    ::_exit(1);
  }
  if (!exchange.send(MessageKind::hello)) ::_exit(0);
  while (auto message = exchange.receive()) {
    if (message->kind != MessageKind::table_request && message->kind != MessageKind::names_request)
      break;
    if (!exchange.send(MessageKind::answer, answer_or_nothing(exchange, *message))) break;
  }
  ::_exit(0);
}

}  // namespace wick
