// WireWriter: numbers and texts as bytes for another process (worker/). ByteReader reads them back:
// the other side is not trusted. Thread rule: values.
//
//   WireWriter out;
//   out.put<u32>(7);
//   out.text("name");
//   ByteReader in{out.bytes()};
//   in.fixed<u32>();  wire_text(in, kLongestName);
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/byte_reader.h"
#include "base/ids.h"

namespace wick {

class WireWriter {
 public:
  template <class T>
    requires std::is_integral_v<T>
  void put(T value) {
    const auto bytes = std::as_bytes(std::span{&value, 1});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void text(std::string_view text) {
    put(static_cast<u32>(text.size()));
    const auto bytes = std::as_bytes(std::span{text});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  // Values without padding or pointers; their number stands before them.
  template <class T>
    requires std::has_unique_object_representations_v<T>
  void array(std::span<const T> values) {
    put(static_cast<u64>(values.size()));
    const auto bytes = std::as_bytes(values);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// A text of at most `limit` bytes; a longer one makes the reader fail.
[[nodiscard]] inline std::string_view wire_text(ByteReader& in, u32 limit) {
  const u32 size = in.fixed<u32>();
  const auto bytes = in.take(size > limit ? ~u64{0} : size).rest();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What WireWriter::array() wrote. More than `limit` values, or than there are bytes, is a failure.
template <class T>
  requires std::has_unique_object_representations_v<T>
[[nodiscard]] std::vector<T> wire_array(ByteReader& in, u64 limit) {
  const u64 count = in.fixed<u64>();
  const bool fits = count <= limit && count <= in.rest().size() / sizeof(T);
  const auto bytes = in.take(fits ? count * sizeof(T) : ~u64{0}).rest();
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace wick
