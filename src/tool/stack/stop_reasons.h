// Why a walk up a user stack ended before the stack's root (enum wick_stop), in words: for the
// summary, and as the frame that stands where the root would.
#pragma once

#include <array>
#include <string_view>

#include "bpf/abi/unwind.h"

namespace wick {

struct StopReason {
  std::string_view summary;  // "no table"
  std::string_view frame;  // of `[stopped: …]`; one that ends in a space goes on with a file's name
};

// The root is none; what was cut is counted as such, by its own words.
inline constexpr std::array<StopReason, WICK_STOPS> kStopReasons{{
    {"", ""},
    {"", "deeper than --max-depth"},
    {"process not known yet", "process not known yet"},
    {"no table", "no table for "},
    {"code of no file", "code of no file"},
    {"gap in a table", "gap in the table of "},
    {"rule not supported", "rule not supported in "},
    {"stack not readable", "stack not readable from "},
    {"stack leads back", "stack leads back in "},
    {"frame pointers end", "frame pointers end in "},
    {"return address 0", "return address 0 in "},
}};

// Found when names are read: no call returns to where a frame pointer led.
inline constexpr std::string_view kBrokenWalk = "frame pointers lead nowhere in ";

}  // namespace wick
