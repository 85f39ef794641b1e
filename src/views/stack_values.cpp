#include "views/stack_values.h"

#include "base/saturating.h"

namespace wick {

void add_values(std::span<i64> sums, std::span<const i64> values) {
  for (std::size_t i = 0; i < sums.size(); i++) sums[i] = saturating_add(sums[i], values[i]);
}

StackValues::StackValues(const Profile& profile)
    : width_(profile.value_types().size()), sums_(profile.stack_count() * width_) {
  for (std::size_t i = 0; i < profile.samples().size(); i++)
    add_values(std::span(sums_).subspan(profile.samples()[i].stack.index() * width_, width_),
               profile.values(i));
}

std::vector<i64> StackValues::totals() const {
  std::vector<i64> sums(width_);
  for (std::size_t at = 0; at < sums_.size(); at += width_)
    add_values(sums, std::span(sums_).subspan(at, width_));
  return sums;
}

}  // namespace wick
