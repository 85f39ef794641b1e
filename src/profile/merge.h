// Several profiles as one: the same stack of the same task with the same labels becomes one sample.
//
//   ProfileMerger merger;
//   for (Profile& part : parts) TRY(merger.add(std::move(part)));
//   Profile whole = std::move(merger).finish();
//
// Values are matched by type and unit; what a part does not have is 0 there. The first part is
// taken over as it is, so one part costs nothing. One thread at a time.
#pragma once

#include <vector>

#include "base/result.h"
#include "profile/profile.h"
#include "profile/sample_index.h"

namespace wick {

class ProfileMerger {
 public:
  // Fails only when a differential profile meets one that is none.
  [[nodiscard]] Status add(Profile part);
  [[nodiscard]] Profile finish() &&;

 private:
  void widen(const std::vector<ValueType>& types);

  Profile whole_;
  SampleIndex index_;
  bool empty_ = true;
};

// Copies `from`'s texts, mappings, frames and stacks into `to` as they are asked for.
class ProfileCopier {
 public:
  ProfileCopier(const Profile& from, Profile& to);
  [[nodiscard]] StringId string(StringId id);
  [[nodiscard]] FrameId frame(FrameId id);
  [[nodiscard]] StackId stack(StackId id);
  // All but the values.
  [[nodiscard]] Sample sample(const Sample& sample);
  [[nodiscard]] Sample sample_without_stack(const Sample& sample);

 private:
  [[nodiscard]] MappingId mapping(MappingId id);

  const Profile& from_;
  Profile& to_;
  std::vector<u32> strings_, mappings_, frames_, stacks_;  // kUnset until copied
  std::vector<FrameId> path_;
};

}  // namespace wick
