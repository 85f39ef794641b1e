// A fast hash of short texts, for tables in memory. It is another one in each process: who knew it
// could write a file whose names all meet in one place, and reading it would take for ever.
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

extern const u64 kHashSeed;

struct Fingerprint {
  u64 first = 0;
  u32 second = 0;
};

// Two hashes in one go, by different ways of mixing.
[[nodiscard]] inline Fingerprint fingerprint(std::string_view text) {
  constexpr u64 kFirst = 0xA0761D6478BD642F;
  constexpr u64 kSecond = 0xE7037ED1A0B428DB;
  constexpr u64 kOdd = 0x9E3779B97F4A7C15;
  const auto word = [](const char* from) {
    u64 value = 0;
    std::memcpy(&value, from, sizeof(value));
    return value;
  };
  const char* at = text.data();
  std::size_t left = text.size();
  const u64 seed = kSecond ^ kHashSeed;
  u64 hash = kFirst ^ left ^ (kHashSeed * kOdd);
  u64 other = left ^ kHashSeed;
  const auto mix = [&](u64 low, u64 high) {
    hash = fold_multiply(low ^ seed, high ^ hash);
    other = (other ^ low) * kOdd + (high ^ (other >> 29U)) * kFirst;
  };
  for (; left > 16; left -= 16, at += 16) mix(word(at), word(at + 8));
  u64 low = 0;
  u64 high = 0;
  if (left >= 8) {  // the two words overlap where there are fewer than 16 bytes
    low = word(at);
    high = word(at + left - 8);
  } else if (left >= 4) {
    u32 begin = 0;
    u32 end = 0;
    std::memcpy(&begin, at, sizeof(begin));
    std::memcpy(&end, at + left - 4, sizeof(end));
    low = begin;
    high = end;
  } else if (left > 0) {
    std::memcpy(&low, at, 1);
    low |= u64{static_cast<unsigned char>(at[left / 2])} << 8U;
    low |= u64{static_cast<unsigned char>(at[left - 1])} << 16U;
  }
  mix(low, high);
  return {.first = hash, .second = static_cast<u32>(other >> 32U)};
}

struct SeededHash {
  std::size_t operator()(u64 number) const {
    return fold_multiply(number ^ kHashSeed, 0x9E3779B97F4A7C15);
  }
};

[[nodiscard]] inline u64 hash_text(std::string_view text) {
  return fingerprint(text).first;
}

}  // namespace wick
