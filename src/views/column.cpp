#include "views/column.h"

#include <utility>

namespace wick {

void Column::widen(u64 value) {
  const unsigned old_width = width_;
  while (value > largest_) {
    width_ *= 2;
    largest_ = width_ == 8 ? ~u64{0} : (u64{1} << (8 * width_)) - 1;
  }
  const std::string old = std::exchange(bytes_, {});
  bytes_.reserve(old.size() / old_width * width_);
  for (std::size_t at = 0; at < old.size(); at += old_width) {
    bytes_.append(old, at, old_width);
    bytes_.append(width_ - old_width, '\0');
  }
}

}  // namespace wick
