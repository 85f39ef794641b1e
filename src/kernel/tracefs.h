// Tracefs: the kernel's folder of tracepoints. Where none is mounted, one is opened without a mount
// point: nobody else sees it, and it goes with its owner.
// Thread rule: const methods from any thread.
//
//   u64 id = TRY(tracepoint_id("sched", "sched_switch"));
//
//   const Tracefs tracefs = TRY(Tracefs::open());
//   for (const std::string& event : TRY(tracefs.events("block"))) …
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

class Tracefs {
 public:
  [[nodiscard]] static Result<Tracefs> open();

  // The path it is mounted on; "" when it was opened without a mount point.
  [[nodiscard]] const std::string& mount_point() const { return mount_point_; }

  // What perf_event_attr::config takes.
  [[nodiscard]] Result<u64> event_id(std::string_view category, std::string_view name) const;
  // The text of events/CATEGORY/NAME/format: the event's fields with offsets and sizes.
  [[nodiscard]] Result<std::string> event_format(std::string_view category,
                                                 std::string_view name) const;

  // Sorted names.
  [[nodiscard]] Result<std::vector<std::string>> categories() const;
  [[nodiscard]] Result<std::vector<std::string>> events(std::string_view category) const;

 private:
  Tracefs(Fd root, std::string mount_point)
      : root_(std::move(root)), mount_point_(std::move(mount_point)) {}

  [[nodiscard]] Result<std::string> read_event_file(std::string_view category,
                                                    std::string_view name,
                                                    std::string_view file) const;
  [[nodiscard]] Result<std::vector<std::string>> folders(const std::string& path) const;
  [[nodiscard]] std::unexpected<Error> unknown_event(std::string_view category,
                                                     std::string_view name) const;

  Fd root_;
  std::string mount_point_;
};

[[nodiscard]] Result<u64> tracepoint_id(std::string_view category, std::string_view name);

// Up to five of `names` that a person may have meant by `wanted`: those that hold it, then those
// that start alike.
[[nodiscard]] std::vector<std::string> nearest_names(const std::vector<std::string>& names,
                                                     std::string_view wanted);

}  // namespace wick
