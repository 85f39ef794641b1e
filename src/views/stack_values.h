// The values of each stack, summed over the tasks that have it: what formats without tasks start
// from.
//
//   const StackValues values{profile};
//   values.of(stack)[value_index]
#pragma once

#include <span>
#include <vector>

#include "profile/profile.h"

namespace wick {

class StackValues {
 public:
  explicit StackValues(const Profile& profile);
  [[nodiscard]] std::span<const i64> of(StackId stack) const {
    return std::span(sums_).subspan(stack.index() * width_, width_);
  }
  // Over all stacks.
  [[nodiscard]] std::vector<i64> totals() const;

 private:
  std::size_t width_;
  std::vector<i64> sums_;  // stacks x value types
};

// Adds at the ends of the range without wrapping round.
void add_values(std::span<i64> sums, std::span<const i64> values);

}  // namespace wick
