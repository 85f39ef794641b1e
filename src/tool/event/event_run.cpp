#include "tool/event/event_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"

namespace wick {
namespace {

// A person waits for the line; the kernel wakes us only when there is much.
constexpr u64 kLookEveryNs = kNanosPerSecond / 10;

}  // namespace

EventLines::EventLines(Session& session, const EventOptions& options, AttachedPrograms& programs)
    : session_(session),
      options_(options),
      programs_(programs),
      realtime_offset_ns_(clock_ns(CLOCK_REALTIME) - monotonic_ns()) {}

Status EventLines::check(const EventOptions& options) {
  if (options.json && options.csv) return fail_usage("--json and --csv together", "choose one");
  if (options.count && *options.count == 0) return fail_usage("the count must be at least 1");
  TRY(seconds_to_ns(options.duration, "duration"));
  return {};
}

void EventLines::print(u64 time_ns, int width, int digits, const std::string& line) {
  if (printed_++ == 0) first_ns_ = time_ns;
  // Events of two CPUs may come in the other order.
  const u64 since_ns = time_ns - std::min(first_ns_, time_ns);
  const double unix_seconds = static_cast<double>(time_ns + realtime_offset_ns_) / 1e9;
  if (options_.json)
    pending_ += fmt::format("{{\"time\":{:.6f},{}}}\n", unix_seconds, line);
  else if (options_.csv)
    pending_ += fmt::format("{:.6f},{}", unix_seconds, line);
  else
    pending_ +=
        fmt::format("{:<{}.{}f} {}", static_cast<double>(since_ns) / 1e9, width, digits, line);
}

Status EventLines::flush() {
  if (pending_.empty()) return {};
  const std::string text = std::exchange(pending_, {});
  return session_.out().write(text);
}

Status EventLines::run(Waiter& waiter, const std::function<Result<bool>()>& read) {
  const u64 duration_ns = TRY(seconds_to_ns(options_.duration, "duration"));
  const u64 end_ns = duration_ns == 0 ? ~u64{0} : programs_.armed_ns() + duration_ns;
  while (monotonic_ns() < end_ns && !is_enough()) {
    if (TRY(read()) && !waiter.is_over()) continue;
    if (is_enough()) break;
    if (!TRY(waiter.wait_until(std::min(end_ns, monotonic_ns() + kLookEveryNs)))) break;
  }
  programs_.detach();
  while (TRY(read()))
    if (session_.stop_requests() > 1) break;
  return {};
}

void EventLines::finish(std::string_view counted_as, const ToolLosses& losses) const {
  if (options_.stats) session_.note(programs_.stats_text(session_.started_ns()));
  session_.note(fmt::format("{} in {:.2f} s; {}", counted(printed_, counted_as),
                            static_cast<double>(monotonic_ns() - programs_.armed_ns()) / 1e9,
                            losses.text()));
}

}  // namespace wick
