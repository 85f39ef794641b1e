// A fast hash of short texts, for tables in memory: not stable between versions, not for secrets.
#pragma once

#include <cstring>
#include <string_view>

#include "base/ids.h"

namespace wick {

// Both halves of the product: each bit of the operands reaches each bit of the result.
[[nodiscard]] constexpr u64 fold_multiply(u64 a, u64 b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
}

[[nodiscard]] inline u64 hash_text(std::string_view text) {
  constexpr u64 kFirst = 0xA0761D6478BD642F;
  constexpr u64 kSecond = 0xE7037ED1A0B428DB;
  const auto word = [](const char* from) {
    u64 value = 0;
    std::memcpy(&value, from, sizeof(value));
    return value;
  };
  const char* at = text.data();
  std::size_t left = text.size();
  u64 hash = kFirst ^ left;
  for (; left > 16; left -= 16, at += 16)
    hash = fold_multiply(word(at) ^ kSecond, word(at + 8) ^ hash);
  u64 low = 0;
  u64 high = 0;
  if (left >= 8) {  // the two words overlap where there are fewer than 16 bytes
    low = word(at);
    high = word(at + left - 8);
  } else if (left > 0) {
    std::memcpy(&low, at, left);
  }
  return fold_multiply(low ^ kSecond, high ^ hash);
}

}  // namespace wick
