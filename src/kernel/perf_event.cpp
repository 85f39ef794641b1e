#include "kernel/perf_event.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "kernel/tracefs.h"

namespace wick {
namespace {

struct NamedEvent {
  std::string_view name;
  u32 type;
  u64 config;
  bool by_time;
};

constexpr std::array kEvents{
    NamedEvent{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true},
    NamedEvent{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true},
    NamedEvent{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
    NamedEvent{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, false},
    NamedEvent{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false},
    NamedEvent{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false},
    NamedEvent{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, false},
    NamedEvent{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true},
    NamedEvent{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true},
    NamedEvent{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, true},
    NamedEvent{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, true},
    NamedEvent{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, true},
};

std::string known_events() {
  std::string out;
  for (const NamedEvent& event : kEvents) out += std::string(event.name) + ", ";
  return out + "or a tracepoint such as sched:sched_switch";
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

Result<EventSpec> parse_event(std::string_view text) {
  const auto* const found = std::ranges::find(kEvents, text, &NamedEvent::name);
  if (found != kEvents.end())
    return EventSpec{.name = std::string(text),
                     .type = found->type,
                     .config = found->config,
                     .by_time = found->by_time};
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size())
    return fail_usage(fmt::format("no event '{}'", printable(text)), "known: " + known_events());
  const u64 id = TRY(tracepoint_id(text.substr(0, colon), text.substr(colon + 1)));
  return EventSpec{
      .name = std::string(text), .type = PERF_TYPE_TRACEPOINT, .config = id, .by_time = false};
}

Result<Fd> perf_event_open(perf_event_attr& attr, int pid, int cpu, u64 flags) {
  attr.size = sizeof(attr);
  const long fd = ::syscall(SYS_perf_event_open, &attr, pid, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return fail_errno("perf_event_open");
  return Fd{static_cast<int>(fd)};
}

Result<Fd> open_sampling_event(const EventSpec& event, SamplePeriod period, int cpu,
                               bool include_idle) {
  perf_event_attr attr{};
  attr.type = event.type;
  attr.config = event.config;
  attr.freq = period.is_frequency ? 1 : 0;
  attr.sample_freq = period.value;
  attr.disabled = 1;
  // The idle task is left out before any program runs.
  attr.exclude_idle = include_idle ? 0 : 1;
  auto fd = perf_event_open(attr, -1, cpu);
  if (!fd) return open_error(fd.error().code, event, period, cpu);
  return fd;
}

}  // namespace wick
