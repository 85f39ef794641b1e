// FunctionTable: a profile's frames by the function they are in. Frames are many, one for each
// address or line; viewers want one entry a function.
//
//   const FunctionTable functions{profile};
//   const Function& f = functions.of(frame_id);
//
// Two functions are one when name, source file, mapped file and kind are. Any thread, once made.
#pragma once

#include <span>
#include <vector>

#include "profile/profile.h"

namespace wick {

struct Function {
  StringId name;
  StringId file;  // source file; empty when not known
  StringId path;  // of the mapped file; empty when there is none
  FrameKind kind = FrameKind::user;
  u32 line = 0;  // where all its frames have the same
  bool operator==(const Function&) const = default;
};

class FunctionTable {
 public:
  explicit FunctionTable(const Profile& profile);

  [[nodiscard]] std::span<const Function> functions() const { return functions_; }
  [[nodiscard]] u32 index_of(FrameId frame) const { return of_frame_[frame.index()]; }
  [[nodiscard]] const Function& of(FrameId frame) const { return functions_[index_of(frame)]; }

 private:
  std::vector<Function> functions_;
  std::vector<u32> of_frame_;
};

}  // namespace wick
