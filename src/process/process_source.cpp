#include "process/process_source.h"

#include "base/clock.h"

namespace wick {

KernelProcesses::KernelProcesses(std::span<const u32> cpus, bool prompt,
                                 std::shared_ptr<MappedFileOpener> opener)
    : opener_(std::move(opener)) {
  if (auto events = MappingEvents::open(cpus, prompt)) events_ = std::move(*events);
}

void KernelProcesses::drain(std::vector<MappingEvent>& out) {
  if (events_) events_->drain(out);
}

std::vector<int> KernelProcesses::poll_fds() const {
  return events_ ? events_->poll_fds() : std::vector<int>{};
}

Result<ProcessMaps> KernelProcesses::maps(u32 pid) {
  return read_maps(pid, MapsWanted::executable);
}

Result<MappedFile> KernelProcesses::open(u32 pid, const ProcMapping& mapping) {
  return opener_ ? opener_->open_mapped(pid, mapping) : open_mapped_file(pid, mapping);
}

u64 KernelProcesses::now_ns() const {
  return monotonic_ns();
}

}  // namespace wick
