// What a pprof function cannot say of a frame, kept in its system_name: its kind, and that its name
// is made up from an address. google/pprof carries the text along and shows it nowhere.
//
//   pprof_system_name("f", FrameKind::jit, true)      "f_[j]"
//   pprof_marks("f", "f_[j]")                         {.kind = jit, .named = true}
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

struct PprofMarks {
  std::optional<FrameKind> kind;  // nothing: no mark, the mapping and the inlined lines tell
  bool named = true;
};

[[nodiscard]] std::string pprof_system_name(std::string_view name, FrameKind kind, bool named);

// Of a file that is not Wick's, system_name is a mangled name: no marks.
[[nodiscard]] PprofMarks pprof_marks(std::string_view name, std::string_view system_name);

}  // namespace wick
