// The mappings of a pprof file, in the order pprof wants: the main binary first, since pprof names
// the profile after it.
#pragma once

#include <vector>

#include "profile/profile.h"

namespace wick {

struct PprofMapping {
  MappingId source;  // 0 for the kernel itself, where frames came without a mapping
  bool kernel = false;
  u64 start = 0;
  u64 limit = 0;
  bool has_functions = false;
  bool has_filenames = false;
  bool has_line_numbers = false;
  bool has_inline_frames = false;
};

class PprofMappings {
 public:
  explicit PprofMappings(const Profile& profile);

  // From 1; 0 where a frame belongs to no file.
  [[nodiscard]] u64 id_of(const Frame& frame) const;
  [[nodiscard]] const std::vector<PprofMapping>& in_order() const { return mappings_; }

 private:
  std::vector<PprofMapping> mappings_;
  std::vector<u64> ids_;  // by MappingId
  u64 kernel_id_ = 0;
};

}  // namespace wick
