// ByteReader: a cursor over bytes of a file we do not trust. Reading past the end gives 0 and makes
// ok() false for good, so a parser checks once per record, not once per field.
//
//   ByteReader in{bytes};
//   const u64 length = in.u32_le();
//   ByteReader record = in.take(length);
//   if (!in.ok()) return …;
#pragma once

#include <cstring>
#include <span>
#include <string_view>

#include "base/ids.h"

namespace wick {

class ByteReader {
 public:
  ByteReader() = default;
  // `offset` is what position() begins with: where in the section the bytes stand.
  explicit ByteReader(std::span<const std::byte> bytes, u64 offset = 0)
      : at_(bytes.data()), end_(at_ + bytes.size()), begin_(at_), offset_(offset) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool done() const { return at_ == end_; }
  [[nodiscard]] u64 position() const { return offset_ + static_cast<u64>(at_ - begin_); }
  [[nodiscard]] std::span<const std::byte> rest() const { return {at_, end_}; }

  u8 byte() { return fixed<u8>(); }
  template <class T>
  T fixed() {
    T value{};
    if (static_cast<std::size_t>(end_ - at_) < sizeof(T)) {
      fail();
      return value;
    }
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  u64 uleb() {
    u64 value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const u8 part = byte();
      if (shift < 64) value |= u64{part & 0x7FU} << shift;
      if ((part & 0x80) == 0) return value;
    }
  }
  i64 sleb() {
    u64 value = 0;
    for (unsigned shift = 0;;) {
      const u8 part = byte();
      if (shift < 64) value |= u64{part & 0x7FU} << shift;
      shift += 7;
      if ((part & 0x80) != 0) continue;
      if (shift < 64 && (part & 0x40) != 0) value |= ~u64{0} << shift;
      return static_cast<i64>(value);
    }
  }

  void skip(u64 size) {
    if (size > static_cast<u64>(end_ - at_))
      fail();
    else
      at_ += size;
  }
  ByteReader take(u64 size) {
    if (size > static_cast<u64>(end_ - at_)) {
      fail();
      return {};
    }
    ByteReader part{{at_, static_cast<std::size_t>(size)}, position()};
    at_ += size;
    return part;
  }
  // Up to a NUL, which is passed over.
  std::string_view text() {
    const auto* nul = static_cast<const std::byte*>(
        at_ == end_ ? nullptr : std::memchr(at_, 0, static_cast<std::size_t>(end_ - at_)));
    if (nul == nullptr) {
      fail();
      return {};
    }
    const std::string_view out{reinterpret_cast<const char*>(at_),
                               static_cast<std::size_t>(nul - at_)};
    at_ = nul + 1;
    return out;
  }

 private:
  void fail() {
    ok_ = false;
    at_ = end_;
  }

  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  const std::byte* begin_ = nullptr;
  u64 offset_ = 0;
  bool ok_ = true;
};

}  // namespace wick
