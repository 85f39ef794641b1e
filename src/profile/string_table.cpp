#include "profile/string_table.h"

#include <algorithm>
#include <cstring>

namespace wick {
namespace {
constexpr std::size_t kBlockBytes = std::size_t{16} << 10;
}

StringTable::StringTable() {
  intern("");
}

std::string_view StringTable::keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > block_left_) {
    // A long text gets a block of its own; what is left of the last one is given up.
    block_left_ = std::max(kBlockBytes, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_left_));
    next_ = blocks_.back().get();
  }
  char* place = next_;
  std::memcpy(place, text.data(), text.size());
  next_ += text.size();
  block_left_ -= text.size();
  return {place, text.size()};
}

StringId StringTable::intern(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const StringId id{texts_.size()};
  const std::string_view kept = keep(text);
  texts_.push_back(kept);
  ids_.emplace(kept, id);
  return id;
}

}  // namespace wick
