#include "kernel/event_counter.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/file_limit.h"
#include "base/text.h"

namespace wick {
namespace {

perf_event_attr attributes_of(const EventSpec& event, const CounterOptions& options) {
  perf_event_attr attr{};
  attr.type = event.type;
  attr.config = event.config;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attr.disabled = 1;
  attr.inherit = options.inherit ? 1 : 0;
  attr.enable_on_exec = options.on_exec ? 1 : 0;
  attr.exclude_user = event.exclude_user ? 1 : 0;
  attr.exclude_kernel = event.exclude_kernel ? 1 : 0;
  attr.exclude_guest = event.leaves_guests_out() ? 1 : 0;
  return attr;
}

// The kernel's ways to say that there is no such counter.
bool is_unsupported(int code) {
  return code == ENOENT || code == EOPNOTSUPP || code == ENXIO || code == ENOSYS || code == EINVAL;
}

// Gone since it was named.
bool is_gone(int code, const CounterPlace& place) {
  return (code == ESRCH && place.pid > 0) || (code == ENODEV && place.cpu >= 0);
}

// The value of perf_event_paranoid from which on the kernel refuses: its own rules, and Debian's
// for the last.
i64 refused_from(const EventSpec& event, const CounterPlace& place, bool by_cgroup) {
  if (event.is_tracepoint()) return 0;
  if (place.pid < 0 || by_cgroup) return 1;
  return event.exclude_user ? 2 : 3;
}

std::string refusal_hint(const EventSpec& event, const CounterPlace& place, bool by_cgroup) {
  const auto text = read_file("/proc/sys/kernel/perf_event_paranoid");
  const auto paranoid = text ? parse_number<i64>(trim(*text)) : std::nullopt;
  const i64 limit = refused_from(event, place, by_cgroup);
  if (paranoid && *paranoid < limit)
    return "it is another user's, or may not be traced: needs CAP_PERFMON, or root";
  return fmt::format("needs CAP_PERFMON, or root, or kernel.perf_event_paranoid below {}", limit);
}

std::unexpected<Error> open_error(int code, const EventSpec& event, const CounterPlace& place,
                                  bool by_cgroup) {
  Error error{.message = fmt::format("count {}", event.name), .code = code, .hint = {}};
  if (is_refusal(code)) error.hint = refusal_hint(event, place, by_cgroup);
  if (code == EMFILE)
    error.hint =
        "each event needs a file descriptor for each CPU or thread: raise `ulimit -n`, or count "
        "fewer events (-e)";
  return std::unexpected(std::move(error));
}

Status set_filter(const Fd& fd, const EventSpec& event, const std::string& filter) {
  if (::ioctl(fd.get(), PERF_EVENT_IOC_SET_FILTER, filter.c_str()) == 0) return {};
  if (errno != EINVAL) return fail_errno("set the filter of " + event.name);
  return fail_usage(fmt::format("'{}' is no filter of {}", printable(filter), event.name),
                    "it compares fields of the tracepoint's format file, such as 'id == 39'");
}

}  // namespace

u64 Count::scaled() const {
  if (running_ns == 0 || running_ns >= enabled_ns) return value;
  const auto whole = static_cast<unsigned __int128>(value) * enabled_ns / running_ns;
  return static_cast<u64>(std::min<unsigned __int128>(whole, std::numeric_limits<u64>::max()));
}

double Count::running_percent() const {
  if (enabled_ns == 0 || running_ns >= enabled_ns) return 100;
  return 100.0 * static_cast<double>(running_ns) / static_cast<double>(enabled_ns);
}

Count& Count::operator+=(const Count& other) {
  value += other.value;
  enabled_ns += other.enabled_ns;
  running_ns += other.running_ns;
  return *this;
}

Count Count::since(const Count& before) const {
  return {.value = value - before.value,
          .enabled_ns = enabled_ns - before.enabled_ns,
          .running_ns = running_ns - before.running_ns};
}

Counts Counts::since(const Counts& before) const {
  Counts out = *this;
  for (std::size_t i = 0; i < all_.size() && i < before.all_.size(); i++)
    out.all_[i] = all_[i].since(before.all_[i]);
  return out;
}

Result<CounterSet> CounterSet::open(std::vector<EventSpec> events,
                                    std::span<const CounterPlace> places,
                                    const CounterOptions& options) {
  constexpr std::size_t kOthers = 64;
  raise_file_limit(events.size() * places.size() + kOthers);
  CounterSet set;
  set.refusals_.assign(events.size(), 0);
  set.events_ = std::move(events);
  for (const CounterPlace& place : places)
    set.units_ = std::max<std::size_t>(set.units_, place.unit + 1);
  for (u32 event = 0; event < set.events_.size(); event++)
    TRY(set.open_event(event, places, options));
  if (set.counters_.empty() && !set.events_.empty()) return set.none_left(options);
  return set;
}

std::unexpected<Error> CounterSet::none_left(const CounterOptions& options) const {
  const auto refused = std::ranges::find_if(refusals_, [](int code) { return code != 0; });
  if (refused == refusals_.end()) return fail("what was to be counted is gone");
  auto error = fail_errno("this machine can count none of these events", *refused);
  std::string& hint = error.error().hint;
  if (std::ranges::all_of(events_, &EventSpec::is_hardware))
    hint =
        "they need a PMU, which virtual machines often lack; task-clock, page-faults, "
        "context-switches are counted everywhere";
  else if (options.by_cgroup && *refused == EINVAL)
    hint = "counting by cgroup needs a kernel with CONFIG_CGROUP_PERF=y";
  // The kernel turns it on for all cgroups with the first controller that is asked for.
  else if (options.by_cgroup && *refused == ENOENT)
    hint =
        "the cgroup has no perf_event controller yet: echo +pids > "
        "/sys/fs/cgroup/cgroup.subtree_control";
  return error;
}

Status CounterSet::open_event(u32 event, std::span<const CounterPlace> places,
                              const CounterOptions& options) {
  const std::size_t before = counters_.size();
  for (const CounterPlace& place : places) {
    auto fd = open_at(events_[event], place, options);
    if (!fd && is_gone(fd.error().code, place)) continue;
    if (!fd && (is_unsupported(fd.error().code) || fd.error().code == ENODEV)) {
      refusals_[event] = fd.error().code;
      counters_.erase(counters_.begin() + static_cast<std::ptrdiff_t>(before), counters_.end());
      return {};
    }
    if (!fd) return open_error(fd.error().code, events_[event], place, options.by_cgroup);
    if (!options.filter.empty() && events_[event].is_tracepoint())
      TRY(set_filter(*fd, events_[event], options.filter));
    counters_.push_back({.fd = std::move(*fd), .unit = place.unit, .event = event});
  }
  return {};
}

Result<Fd> CounterSet::open_at(EventSpec& event, const CounterPlace& place,
                               const CounterOptions& options) {
  const u64 flags = options.by_cgroup ? PERF_FLAG_PID_CGROUP : 0;
  perf_event_attr attr = attributes_of(event, options);
  auto fd = perf_event_open(attr, place.pid, place.cpu, flags);
  const bool whole = !event.exclude_kernel && !event.exclude_user;
  if (fd || !whole || !is_refusal(fd.error().code)) return fd;
  attr.exclude_kernel = 1;
  auto user_only = perf_event_open(attr, place.pid, place.cpu, flags);
  if (!user_only && is_refusal(user_only.error().code)) return fd;
  event.exclude_kernel = true;
  event.name += ":u";
  fell_back_ = true;
  return user_only;
}

Status CounterSet::enable() {
  for (const Counter& counter : counters_)
    if (::ioctl(counter.fd.get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
      return fail_errno("start counting");
  return {};
}

void CounterSet::disable() {
  for (const Counter& counter : counters_) ::ioctl(counter.fd.get(), PERF_EVENT_IOC_DISABLE, 0);
}

Result<Counts> CounterSet::read() const {
  Counts counts{units_, events_.size()};
  for (const Counter& counter : counters_) {
    std::array<u64, 3> words{};
    const ssize_t got = ::read(counter.fd.get(), words.data(), sizeof(words));
    if (got < 0) return fail_errno("read " + events_[counter.event].name);
    // Nothing: the kernel gave the event up, such as one pinned to a counter that is not free.
    if (got != sizeof(words)) continue;
    counts.at(counter.unit, counter.event) +=
        Count{.value = words[0], .enabled_ns = words[1], .running_ns = words[2]};
  }
  return counts;
}

}  // namespace wick
