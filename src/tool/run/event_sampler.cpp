#include "tool/run/event_sampler.h"

#include <sys/ioctl.h>

#include "kernel/features/features.h"

namespace wick {

Result<EventSampler> EventSampler::open(const EventSpec& event, SamplePeriod period,
                                        std::span<const u32> cpus, bool include_idle) {
  EventSampler sampler;
  // A tracepoint's program runs wherever it is hit; one event, on any CPU, carries it.
  const std::span wanted = event.is_tracepoint() ? cpus.first(1) : cpus;
  for (const u32 cpu : wanted) {
    auto fd = open_sampling_event(event, period, static_cast<int>(cpu), include_idle);
    // A CPU that went offline since we read the list has nothing to sample.
    if (!fd && fd.error().code == ENODEV) continue;
    if (!fd) return std::unexpected(std::move(fd).error());
    sampler.unattached_.push_back(std::move(*fd));
  }
  if (sampler.unattached_.empty()) return fail("no CPU to sample on");
  return sampler;
}

Status EventSampler::attach(bpf_program* program) {
  for (Fd& fd : unattached_) {
    bpf_link* link = bpf_program__attach_perf_event(program, fd.get());
    if (link == nullptr) return fail_errno("attach to the event");
    events_.push_back(fd.release());
    links_.emplace_back(link);
  }
  unattached_.clear();
  return {};
}

Status EventSampler::start() {
  for (const int fd : events_)
    if (::ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0) return fail_errno("start sampling");
  return {};
}

void EventSampler::stop() {
  for (const int fd : events_) ::ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
  links_.clear();
  events_.clear();
}

EventSpec with_fallback(EventSpec event, std::string& told) {
  if (event.type != PERF_TYPE_HARDWARE || event.config != PERF_COUNT_HW_CPU_CYCLES) return event;
  if (has_hardware_pmu()) return event;
  told = "no hardware counters here: sampling by cpu-clock instead of cycles";
  return {.name = "cpu-clock",
          .exclude_user = event.exclude_user,
          .exclude_kernel = event.exclude_kernel};
}

}  // namespace wick
