// Integers of fixed width under short names, and indices that cannot be mixed up.
//
//   using StackId = Id<struct StackTag>;
//   StackId a{3};  names[a.index()];
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace wick {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t value) : value_(static_cast<u32>(value)) {}

  [[nodiscard]] constexpr std::size_t index() const { return value_; }
  [[nodiscard]] constexpr u32 value() const { return value_; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  u32 value_ = 0;
};

}  // namespace wick

template <class Tag>
struct std::hash<wick::Id<Tag>> {
  std::size_t operator()(wick::Id<Tag> id) const noexcept {
    return std::hash<wick::u32>{}(id.value());
  }
};
