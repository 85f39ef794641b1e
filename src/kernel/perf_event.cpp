#include "kernel/perf_event.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "kernel/event_names.h"
#include "kernel/tracefs.h"

namespace wick {
namespace {

std::unexpected<Error> unknown_event(std::string_view text) {
  const std::vector<std::string> near = nearest_names(event_names(), text);
  return fail_usage(
      fmt::format("no event '{}'", printable(text)),
      near.empty() ? "known are cycles, instructions, cache-misses, task-clock, page-faults and "
                     "others of perf's, and tracepoints such as sched:sched_switch"
                   : fmt::format("near it: {}", fmt::join(near, ", ")));
}

Status set_modifiers(EventSpec& event, std::string_view letters) {
  if (letters.empty() || letters.find_first_not_of("uk") != std::string_view::npos)
    return fail_usage(fmt::format("'{}': no such modifier", printable(event.name)),
                      ":u is user space only, :k the kernel only");
  const bool user = letters.contains('u');
  const bool kernel = letters.contains('k');
  event.exclude_user = kernel && !user;
  event.exclude_kernel = user && !kernel;
  return {};
}

std::unexpected<Error> open_error(int code, const EventSpec& event, SamplePeriod period, int cpu) {
  const std::string what = fmt::format("open {} on CPU {}", event.name, cpu);
  if (code == EINVAL && period.is_frequency) {
    const auto text = read_file("/proc/sys/kernel/perf_event_max_sample_rate");
    const auto limit = text ? parse_number<u64>(trim(*text)) : std::nullopt;
    if (limit && period.value > *limit)
      return fail_usage(
          fmt::format("{} Hz is more than this machine allows ({} Hz)", period.value, *limit),
          "use a lower -F, or raise kernel.perf_event_max_sample_rate");
  }
  Error error{.message = what, .code = code, .hint = {}};
  if (code == EACCES || code == EPERM) error.hint = "needs CAP_PERFMON, or root";
  if (code == EMFILE)
    error.hint = "too few file descriptors: raise `ulimit -n` above the number of CPUs";
  if (code == ENOENT || code == EOPNOTSUPP)
    error.hint = "this machine has no such counter (no PMU)";
  return std::unexpected(std::move(error));
}

}  // namespace

bool EventSpec::is_clock() const {
  return type == PERF_TYPE_SOFTWARE &&
         (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
}

// NAME[:uk] or CATEGORY:NAME[:uk]
Result<EventSpec> parse_event(std::string_view text) {
  std::string_view rest = text;
  const std::string_view first = take_until(rest, ':');
  const bool alone = first.size() == text.size();
  EventSpec event{.name = std::string(text), .type = PERF_TYPE_TRACEPOINT, .by_time = false};
  if (const auto found = find_named_event(first)) {
    event.type = found->type;
    event.config = found->config;
    event.by_time = found->by_time;
    if (!alone) TRY(set_modifiers(event, rest));
    return event;
  }
  if (alone || first.empty() || rest.empty()) return unknown_event(text);
  const std::string_view name = take_until(rest, ':');
  event.config = TRY(tracepoint_id(first, name));
  if (first.size() + 1 + name.size() != text.size()) TRY(set_modifiers(event, rest));
  return event;
}

Result<Fd> perf_event_open(perf_event_attr& attr, int pid, int cpu, u64 flags) {
  attr.size = sizeof(attr);
  const long fd = ::syscall(SYS_perf_event_open, &attr, pid, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return fail_errno("perf_event_open");
  return Fd{static_cast<int>(fd)};
}

perf_event_attr sampling_attributes(const EventSpec& event, SamplePeriod period,
                                    bool include_idle) {
  perf_event_attr attr{};
  attr.type = event.type;
  attr.config = event.config;
  attr.exclude_user = event.exclude_user ? 1 : 0;
  attr.exclude_kernel = event.exclude_kernel ? 1 : 0;
  attr.exclude_guest = event.leaves_guests_out() ? 1 : 0;
  attr.freq = period.is_frequency ? 1 : 0;
  attr.sample_freq = period.value;
  attr.disabled = 1;
  // The idle task is left out before any program runs.
  attr.exclude_idle = include_idle ? 0 : 1;
  return attr;
}

Result<Fd> open_sampling_event(const EventSpec& event, SamplePeriod period, int cpu,
                               bool include_idle) {
  perf_event_attr attr = sampling_attributes(event, period, include_idle);
  auto fd = perf_event_open(attr, -1, cpu);
  if (!fd) return open_error(fd.error().code, event, period, cpu);
  return fd;
}

}  // namespace wick
