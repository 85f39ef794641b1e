// SampleIndex: finds the sample of a profile that has the same stack, task and labels.
//
//   const std::size_t at = index.add(profile, sample, values);   // a new one, or summed
//
// The profile is only grown through the index while one is in use.
#pragma once

#include <span>
#include <vector>

#include "profile/profile.h"

namespace wick {

class SampleIndex {
 public:
  // Knows the samples that are already there.
  void rebuild(const Profile& profile);
  // The index of the sample the values were added to.
  std::size_t add(Profile& profile, Sample sample, std::span<const i64> values);

 private:
  void insert(u64 hash, u32 index);

  std::vector<u32> slots_;  // index + 1; 0 is free
  std::size_t used_ = 0;
};

}  // namespace wick
