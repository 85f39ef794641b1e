// Column: whole numbers in as few bytes each as the largest needs (1, 2, 4 or 8), little-endian.
// The HTML report's data is a row of them, which a browser reads as typed arrays without a loop.
//
//   Column depths{"depths"};
//   depths.push(3);        // one byte a number
//   depths.push(70'000);   // from here on four, and so is the first
//
// One thread at a time.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"

namespace wick {

class Column {
 public:
  explicit Column(std::string name) : name_(std::move(name)) {}

  void push(u64 value) {
    if (value > largest_) widen(value);
    append(value);
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] unsigned width() const { return width_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size() / width_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  void widen(u64 value);
  void append(u64 value) {
    for (unsigned i = 0; i < width_; i++) bytes_.push_back(static_cast<char>(value >> (8 * i)));
  }

  std::string name_;
  std::string bytes_;
  unsigned width_ = 1;
  u64 largest_ = 0xFF;  // of what `width_` bytes hold
};

}  // namespace wick
