#include "worker/file_worker.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/clock.h"
#include "base/text.h"
#include "worker/answers.h"
#include "worker/requests.h"
#include "worker/serving_host.h"

namespace wick {
namespace {

constexpr int kLookMs = 10;
constexpr u64 kLookAtClockNs = kNanosPerSecond / 4;
// More than a Budget allows any file, lines included: its parser has stopped asking.
constexpr u64 kLongestAnswerNs = 45 * kNanosPerSecond;
// Its limit is 120 s in all.
constexpr u64 kRetireAfterNs = 60 * kNanosPerSecond;
// Killed from outside is not the file's doing, but the OOM killer's may be.
constexpr u32 kMostKills = 8;
constexpr u32 kMostCrashes = 2;
constexpr u32 kMostFailedStarts = 3;

Fd copy_of(const Fd& file) {
  return file.valid() ? Fd{::fcntl(file.get(), F_DUPFD_CLOEXEC, 0)} : Fd{};
}

// Whether a worker uses CPU time, or waits for something that does not come.
class ProgressWatch {
 public:
  ProgressWatch(const WorkerProcess& process, u64 hang_ns)
      : process_(process), hang_ns_(hang_ns), began_(process.cpu_ns()), last_cpu_(began_) {}

  void look() {
    const u64 now = monotonic_ns();
    if (now < next_look_ns_) return;
    next_look_ns_ = now + std::min(kLookAtClockNs, hang_ns_);
    const u64 cpu = process_.cpu_ns();
    if (cpu != last_cpu_) last_progress_ns_ = now;
    last_cpu_ = cpu;
    hangs_ = now - last_progress_ns_ > hang_ns_;
  }
  [[nodiscard]] bool hangs() const { return hangs_; }
  [[nodiscard]] bool takes_too_long() const { return last_cpu_ - began_ > kLongestAnswerNs; }

 private:
  const WorkerProcess& process_;
  u64 hang_ns_;
  u64 began_;
  u64 last_cpu_;
  u64 last_progress_ns_ = monotonic_ns();
  u64 next_look_ns_ = 0;
  bool hangs_ = false;
};

}  // namespace

struct FileWorker::Question {
  MessageKind kind;
  std::span<const std::byte> request;
  const Fd& file;
  WorkHost& host;
  const Stop& stop;
  std::function<Status(std::span<const std::byte>)> accept;  // false: the answer makes no sense
};

FileWorker::FileWorker(FileWorkerOptions options) : options_(std::move(options)) {
  if (options_.launch == WorkerLaunch::none) unconfined_ = "it was not wanted";
}

FileWorker::~FileWorker() = default;

void FileWorker::start() {
  if (process_ && process_->cpu_ns() > kRetireAfterNs) {
    ended_cpu_ns_ += process_->cpu_ns();
    process_.reset();
  }
  if (process_ || !is_confined()) return;
  greeted_ = false;
  auto process = WorkerProcess::start(options_.launch);
  if (process) {
    stats_.starts++;
    process_.emplace(std::move(*process));
    return;
  }
  last_end_ = process.error().text();
  if (++failed_starts_ >= kMostFailedStarts) unconfined_ = last_end_;
}

// The first message of a new worker.
bool FileWorker::greet() {
  if (greeted_) return true;
  auto first = process_->exchange().receive();
  if (first && first->kind == MessageKind::hello) {
    greeted_ = true;
    failed_starts_ = 0;
    return true;
  }
  if (first && first->kind == MessageKind::unconfined)
    unconfined_ = printable({reinterpret_cast<const char*>(first->bytes.data()),
                             std::min<std::size_t>(first->bytes.size(), 256)});
  return false;
}

FileWorker::Outcome FileWorker::ask_once(const Question& question) {
  start();
  if (!process_) return Outcome::died;
  const Exchange& exchange = process_->exchange();
  const Status sent = question.file.valid()
                          ? exchange.send(question.kind, question.request, {question.file.get()})
                          : exchange.send(question.kind, question.request);
  const Outcome outcome = sent ? converse(question) : Outcome::died;
  if (outcome == Outcome::answered || outcome == Outcome::no_answer) {
    exchange.trim();
    return outcome;
  }
  const bool was_greeted = greeted_;
  ended_cpu_ns_ += process_->cpu_ns();
  const WorkerEnd end = process_->end();
  process_.reset();
  last_end_ = end.text();
  // It has not come as far as a file: it is not a file's fault.
  if (!was_greeted && is_confined() && end.signal != SIGKILL &&
      ++failed_starts_ >= kMostFailedStarts)
    unconfined_ = "the process to read files in does not start: " + last_end_;
  return outcome;
}

FileWorker::Outcome FileWorker::converse(const Question& question) {
  ProgressWatch progress{*process_, options_.hang_ns};
  while (true) {
    pollfd polled{.fd = process_->exchange().socket(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&polled, 1, kLookMs);
    if (question.stop && question.stop()) return Outcome::stopped;
    if (ready <= 0) {
      progress.look();
      if (progress.hangs()) return Outcome::hung;
      if (progress.takes_too_long()) return Outcome::too_long;
      continue;
    }
    if (!greeted_) {
      if (!greet()) return Outcome::died;
      continue;
    }
    const auto message = process_->exchange().receive();
    if (!message) return Outcome::died;
    if (message->kind == MessageKind::answer && message->bytes.empty()) return Outcome::no_answer;
    if (message->kind == MessageKind::answer)
      return question.accept(message->bytes) ? Outcome::answered : Outcome::nonsense;
    if (!serve(*message, question)) return Outcome::nonsense;
  }
}

bool FileWorker::serve(const Message& message, const Question& question) {
  constexpr u32 kLongestText = 8192;
  ByteReader in{message.bytes};
  const Exchange& exchange = process_->exchange();
  if (message.kind == MessageKind::is_known) {
    const bool known = question.host.is_known(std::string(wire_text(in, kLongestText)));
    const std::byte word{known ? u8{1} : u8{0}};
    return in.ok() && exchange.send(MessageKind::reply, {&word, 1});
  }
  if (message.kind != MessageKind::open_file && message.kind != MessageKind::download) return false;
  const bool below_root = message.kind == MessageKind::open_file && in.byte() != 0;
  const std::string text{wire_text(in, kLongestText)};
  if (!in.ok()) return false;
  const auto file = message.kind == MessageKind::download
                        ? question.host.download(text)
                        : question.host.open_offered(below_root, text);
  return file ? exchange.send(MessageKind::reply, {}, {file->get()}).has_value()
              : exchange.send(MessageKind::reply).has_value();
}

std::string FileWorker::name_of(const Fd& file) {
  return file.valid() ? file_name_of(file) : "[vdso]";
}

struct FileWorker::Attempts {
  u32 kills = 0;
  u32 crashes = 0;
};

std::string FileWorker::verdict(Outcome outcome, Attempts& attempts) const {
  switch (outcome) {
    case Outcome::no_answer:
      return "needs more memory than its reader has";
    case Outcome::hung:
      return "reading it did not go on";
    case Outcome::too_long:
      return fmt::format("took more than {} s", kLongestAnswerNs / kNanosPerSecond);
    case Outcome::nonsense:
      return ++attempts.crashes < kMostCrashes ? "" : "its reader gave answers without sense";
    default:
      break;
  }
  const bool killed = last_end_ == "SIGKILL";
  if (killed ? ++attempts.kills < kMostKills : ++attempts.crashes < kMostCrashes) return {};
  return "its reader crashed: " + last_end_;
}

Status FileWorker::ask(const Question& question) {
  if (options_.budget->is_used_up()) {
    const Budget none{0, {.run = options_.budget.get(), .stop = {}}};
    options_.budget->refuse(name_of(question.file), none.cause());
    return fail(none.cause());
  }
  Attempts attempts;
  while (is_confined()) {
    const Outcome outcome = ask_once(question);
    if (outcome == Outcome::answered) return {};
    if (outcome == Outcome::stopped) return fail("stopped");
    const std::string cause = verdict(outcome, attempts);
    if (cause.empty() || !is_confined()) continue;
    options_.budget->refuse(name_of(question.file), cause);
    return fail(cause);
  }
  return fail(unconfined_);
}

RequestHeader FileWorker::header_of(const Fd& file) const {
  return {.wary = options_.budget->is_wary(),
          .crash = !options_.crash_on.empty() && name_of(file) == options_.crash_on};
}

Result<bool> FileWorker::try_worker(const Question& question) {
  if (!is_confined()) return false;
  const Status asked = ask(question);
  if (asked) return true;
  if (!is_confined()) return false;
  return std::unexpected(asked.error());
}

Result<TableAnswer> FileWorker::table(
    const Fd& file, const std::function<bool(const std::string& identity)>& is_known,
    const Stop& stop) {
  ServingHost host{{}, is_known};
  WireWriter request;
  encode(request, header_of(file));
  encode(request, options_.secret);
  TableAnswer answer;
  const auto accept = [&](std::span<const std::byte> bytes) -> Status {
    answer = TRY(decode_table_answer(bytes));
    return {};
  };
  const bool asked = TRY(try_worker({.kind = MessageKind::table_request,
                                     .request = request.bytes(),
                                     .file = file,
                                     .host = host,
                                     .stop = stop,
                                     .accept = accept}));
  if (!asked)
    answer = read_table(copy_of(file), options_.secret, host,
                        {.run = options_.budget.get(), .stop = stop});
  stats_.cpu_ns += answer.spent.cpu_ns;
  options_.budget->settle(answer.spent, name_of(file));
  return answer;
}

Result<NamesAnswer> FileWorker::names(const Fd& file, const NamesQuestion& question,
                                      const ProcessRoot& root, const Stop& stop) {
  ServingHost host{{.root = root, .path = question.path, .split_dwarf = question.lines}};
  WireWriter request;
  encode(request, header_of(file));
  encode(request, question);
  NamesAnswer answer;
  const auto accept = [&](std::span<const std::byte> bytes) -> Status {
    answer = TRY(decode_names_answer(bytes, question.places.size()));
    return {};
  };
  const bool asked = TRY(try_worker({.kind = MessageKind::names_request,
                                     .request = request.bytes(),
                                     .file = file,
                                     .host = host,
                                     .stop = stop,
                                     .accept = accept}));
  if (!asked)
    answer =
        read_names(copy_of(file), question, host, {.run = options_.budget.get(), .stop = stop});
  stats_.cpu_ns += answer.spent.cpu_ns + answer.lines_spent.cpu_ns;
  options_.budget->settle(answer.lines_spent, name_of(file));
  options_.budget->settle(answer.spent, name_of(file));
  return answer;
}

std::string crash_path_for_tests() {
  const char* path = ::secure_getenv("WICK_TEST_CRASH_ON");
  return path == nullptr ? std::string{} : std::string(path);
}

}  // namespace wick
