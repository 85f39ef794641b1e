#include "profile/string_table.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace wick {
namespace {
constexpr std::size_t kBlockBytes = std::size_t{16} << 10;
constexpr std::size_t kFirstSlots = 64;
}  // namespace

StringTable::StringTable() : slots_(kFirstSlots) {
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
  bytes_ += text.size();
  return {place, text.size()};
}

void StringTable::grow() {
  slots_.assign(slots_.size() * 2, {});
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < texts_.size(); i++) {
    const u64 hash = hash_text(texts_[i]);
    std::size_t at = hash & mask;
    while (slots_[at].id != kFree) at = (at + 1) & mask;
    slots_[at] = {.hash = static_cast<u32>(hash >> 32), .id = static_cast<u32>(i)};
  }
}

StringId StringTable::intern(std::string_view text) {
  const u64 hash = hash_text(text);
  const auto upper = static_cast<u32>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].id != kFree; at = (at + 1) & mask)
    if (slots_[at].hash == upper && texts_[slots_[at].id] == text) return StringId{slots_[at].id};
  const StringId id{texts_.size()};
  texts_.push_back(keep(text));
  slots_[at] = {.hash = upper, .id = id.value()};
  if (texts_.size() * 2 > slots_.size()) grow();
  return id;
}

}  // namespace wick
