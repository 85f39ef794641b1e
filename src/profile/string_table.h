// StringTable: each text once, under a number. Id 0 is the empty text.
// Views stay valid for the table's life: texts live in blocks that never move.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
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

 private:
  std::string_view keep(std::string_view text);

  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, StringId> ids_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;        // where the next text goes in the last block
  std::size_t block_left_ = 0;  // room behind it
};

}  // namespace wick
