#include "tool/run/intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/clock.h"

namespace wick {
namespace {

constexpr double kMaxSeconds = 1e9;

}  // namespace

Result<u64> seconds_to_ns(const std::optional<double>& seconds, std::string_view what) {
  if (!seconds) return 0;
  if (!(*seconds > 0) || *seconds > kMaxSeconds)
    return fail_usage(fmt::format("the {} must be more than 0 seconds", what));
  return std::max<u64>(1, static_cast<u64>(*seconds * static_cast<double>(kNanosPerSecond)));
}

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

double IntervalLoop::seconds() const {
  return static_cast<double>(monotonic_ns() - programs_.armed_ns()) / 1e9;
}

// False: the run is over before.
Result<bool> IntervalLoop::wait_until(u64 end_ns, const IntervalActions& actions) {
  // Once at least: intervals shorter than their printing must end too.
  do {
    if (!TRY(waiter_.wait_until(end_ns))) return false;
    TRY(actions.poll());
    if (actions.tells_progress)
      session_.progress(fmt::format("tracing for {:.0f} s; Ctrl-C ends", seconds()));
  } while (end_ns == 0 || monotonic_ns() < end_ns);
  return true;
}

Status IntervalLoop::run(const IntervalPlan& plan, const IntervalActions& actions) {
  const u64 start_ns = programs_.armed_ns();
  const u64 last_ns = plan.duration_ns == 0 ? 0 : start_ns + plan.duration_ns;
  u64 before_ns = start_ns;
  bool more = true;
  for (u64 number = 1; more; number++) {
    // From the start, so that the time for printing does not add up.
    u64 end_ns = plan.interval_ns == 0 ? last_ns : start_ns + number * plan.interval_ns;
    if (last_ns != 0) end_ns = std::min(end_ns, last_ns);
    more = TRY(wait_until(end_ns, actions));
    if (number == plan.count || (end_ns != 0 && end_ns == last_ns)) more = false;
    if (!more) programs_.detach();
    session_.progress({});
    const u64 now_ns = monotonic_ns();
    TRY(actions.print({.unix_ns = clock_ns(CLOCK_REALTIME), .duration_ns = now_ns - before_ns}));
    before_ns = now_ns;
  }
  return {};
}

}  // namespace wick
