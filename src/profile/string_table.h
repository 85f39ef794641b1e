// StringTable: each text once, under a number. Id 0 is the empty text.
// Views stay valid for the table's life: texts live in blocks that never move.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace wick {

using StringId = Id<struct StringTag>;

class StringTable {
 public:
  StringTable();
  StringTable(StringTable&&) = default;
  StringTable& operator=(StringTable&&) = default;
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;
  ~StringTable() = default;

  StringId intern(std::string_view text);
  [[nodiscard]] std::string_view get(StringId id) const { return texts_[id.index()]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  // Of the texts alone.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  // Open addressing. The hash's upper half is kept, so that a look-up reads another text only
  // when it is very likely the one.
  struct Slot {
    u32 hash = 0;
    u32 id = kFree;
  };
  static constexpr u32 kFree = ~u32{0};

  std::string_view keep(std::string_view text);
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;  // a power of two
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;        // where the next text goes in the last block
  std::size_t block_left_ = 0;  // room behind it
  std::size_t bytes_ = 0;
};

}  // namespace wick
