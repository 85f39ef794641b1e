#include "worker/file_opener.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "base/capabilities.h"
#include "base/clock.h"
#include "worker/opener_main.h"

namespace wick {
namespace {

constexpr u32 kMostOpenerStarts = 3;  // that fail, in a row
constexpr u32 kMostOpenerDeaths = 8;  // over one file

}  // namespace

FileOpener::FileOpener(FileOpenerOptions options)
    : options_(std::move(options)), here_(options_.launch == WorkerLaunch::none) {}

void FileOpener::start() {
  if (process_ || here_) return;
  greeted_ = false;
  auto process = WorkerProcess::start(options_.launch, WorkerRole::opener);
  if (!process) {
    here_ = ++failed_starts_ >= kMostOpenerStarts;
    return;
  }
  starts_++;
  process_.emplace(std::move(*process));
}

// By exec a process can lose what its user was lent for one program only.
bool FileOpener::greet() {
  if (greeted_) return true;
  const auto first = process_->exchange().receive();
  if (!first || first->kind != MessageKind::hello) return false;
  ByteReader in{first->bytes};
  const u64 rights = in.fixed<u64>();
  here_ = (own_capabilities().permitted & kOpeningRights & ~rights) != 0;
  failed_starts_ = 0;
  greeted_ = true;
  return !here_;
}

void FileOpener::drop() {
  ended_cpu_ns_ += process_->cpu_ns();
  process_->end();
  process_.reset();
}

FileOpener::Outcome FileOpener::ask(std::span<const std::byte> request, Message& answer) {
  const Exchange& exchange = process_->exchange();
  if (!exchange.send(MessageKind::open_mapped, request)) return Outcome::died;
  const u64 until = monotonic_ns() + options_.deadline_ns;
  while (true) {
    const u64 now = monotonic_ns();
    // Who waits for a CPU does not hang.
    if (now > until && !process_->is_runnable()) return Outcome::hung;
    const u64 left = now > until ? 10'000'000 : until - now;
    pollfd polled{.fd = exchange.socket(), .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, static_cast<int>(left / 1'000'000) + 1) <= 0) continue;
    if (!greeted_) {
      if (!greet()) return Outcome::died;
      continue;
    }
    auto message = exchange.receive();
    if (!message || message->kind != MessageKind::answer) return Outcome::died;
    answer = *std::move(message);
    return Outcome::answered;
  }
}

Result<MappedFile> FileOpener::open_mapped(u32 pid, const ProcMapping& mapping) {
  const std::pair device{mapping.dev_major, mapping.dev_minor};
  if (hung_devices_.contains(device)) return fail(mapping.path + ": its device does not answer");
  const auto request = encode(OpenQuestion{pid, mapping});
  for (u32 deaths = 0; !here_ && deaths < kMostOpenerDeaths; deaths++) {
    start();
    if (!process_) continue;
    Message answer;
    const Outcome outcome = ask(request, answer);
    if (outcome == Outcome::answered) {
      Fd file = answer.files.empty() ? Fd{} : std::move(answer.files.front());
      return decode_opened(answer.bytes, std::move(file));
    }
    const bool never_came = !greeted_ && outcome == Outcome::died;
    drop();
    if (never_came) here_ = here_ || ++failed_starts_ >= kMostOpenerStarts;
    if (outcome != Outcome::hung) continue;
    hung_devices_.insert(device);
    options_.budget->refuse(mapping.path, "opening it did not end");
    return fail(mapping.path + ": opening it did not end");
  }
  if (here_) return open_mapped_file(pid, mapping);
  return fail(mapping.path + ": the process to open it in does not live");
}

}  // namespace wick
