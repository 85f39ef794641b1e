// ProcessSource: where ProcessWatch learns about processes: the kernel's events, /proc, and files
// that are opened while their process lives. KernelProcesses is the real one; tests make things up.
// One thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "kernel/mapping_events.h"
#include "proc/mapped_file.h"
#include "proc/maps.h"

namespace wick {

class ProcessSource {
 public:
  ProcessSource() = default;
  ProcessSource(const ProcessSource&) = delete;
  ProcessSource& operator=(const ProcessSource&) = delete;
  virtual ~ProcessSource() = default;

  // Appends what happened since the last call, by time.
  virtual void drain(std::vector<MappingEvent>& out) = 0;
  // Readable when there is something to drain.
  [[nodiscard]] virtual std::vector<int> poll_fds() const { return {}; }
  [[nodiscard]] virtual u64 events_lost() const { return 0; }
  // Nothing is ever drained: /proc alone has to do.
  [[nodiscard]] virtual bool events_missing() const { return false; }

  [[nodiscard]] virtual Result<ProcessMaps> maps(u32 pid) = 0;
  [[nodiscard]] virtual Result<MappedFile> open(u32 pid, const ProcMapping& mapping) = 0;
  [[nodiscard]] virtual u64 now_ns() const = 0;
};

class KernelProcesses : public ProcessSource {
 public:
  // Without the privilege for the kernel's events /proc alone has to do. `prompt`: readable at
  // every event.
  // `opener`: null, files are opened here.
  KernelProcesses(std::span<const u32> cpus, bool prompt,
                  std::shared_ptr<MappedFileOpener> opener = {});

  void drain(std::vector<MappingEvent>& out) override;
  [[nodiscard]] std::vector<int> poll_fds() const override;
  [[nodiscard]] u64 events_lost() const override { return events_ ? events_->lost() : 0; }
  [[nodiscard]] bool events_missing() const override { return !events_; }
  [[nodiscard]] Result<ProcessMaps> maps(u32 pid) override;
  [[nodiscard]] Result<MappedFile> open(u32 pid, const ProcMapping& mapping) override;
  [[nodiscard]] u64 now_ns() const override;

 private:
  std::optional<MappingEvents> events_;
  std::shared_ptr<MappedFileOpener> opener_;
};

}  // namespace wick
