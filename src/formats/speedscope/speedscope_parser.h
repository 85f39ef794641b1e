// speedscope's JSON as it stands in the file, by nlohmann's SAX: nothing is held but what is used.
// The first half of read_speedscope.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/read_limits.h"
#include "profile/profile.h"

namespace wick {

struct SpeedscopeFrame {
  std::string name;
  std::string file;
  u32 line = 0;
  bool by_wick = false;  // then what follows tells what the viewer has no field for
  std::string kind;
  std::string source;  // instead of `file`, which may be the mapping
  std::string mapping;
};

// A number as it was written: exact when it is whole.
struct SpeedscopeNumber {
  i64 whole = 0;
  double decimal = 0;
  bool is_whole = true;
};

struct SpeedscopeEvent {
  bool open = false;
  u32 frame = 0;
  SpeedscopeNumber at;
};

struct SpeedscopeProfile {
  bool evented = false;
  std::string name;
  std::string unit;
  std::vector<u32> stack_frames;  // of all samples, root first
  std::vector<u32> stack_sizes;
  std::vector<SpeedscopeNumber> weights;
  std::vector<SpeedscopeEvent> events;
  bool by_wick = false;
  std::string comm;
  u32 pid = 0;
  u32 tid = 0;
  std::string value_type;
  std::string value_unit;
};

struct SpeedscopeFile {
  std::string name;
  std::size_t active_profile = 0;
  std::vector<SpeedscopeFrame> frames;
  std::vector<SpeedscopeProfile> profiles;
};

[[nodiscard]] Result<SpeedscopeFile> parse_speedscope(std::string_view json,
                                                      const ReadLimits& limits);

}  // namespace wick
