// KnownTexts: a number for each text a reader has understood already, found by the text's
// fingerprint alone.
//
//   u32& frame = known.value_of(line);
//   if (frame == KnownTexts::kNew) frame = understand(line);
//
// The text itself is not kept: comparing it costs a cache miss or two for every frame of a file,
// half of what reading takes. With 96 bits, a million different lines meet by chance once in 10^17
// files; who makes two of them meet on purpose deceives only the readers of his own file.
#pragma once

#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"

namespace wick {

class KnownTexts {
 public:
  static constexpr u32 kNew = ~u32{0};

  // Valid until the next call.
  [[nodiscard]] u32& value_of(std::string_view text) {
    const Fingerprint print = fingerprint(text);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = print.first & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.first == print.first && slot.second == print.second) return slot.value;
      if (slot.value == kNew) return insert(print);
    }
  }
  [[nodiscard]] std::size_t size() const { return used_; }
  void clear();

 private:
  // A slot is free while its value is kNew: whoever asked has to set it.
  struct Slot {
    u64 first = 0;
    u32 second = 0;
    u32 value = kNew;
  };
  static constexpr std::size_t kFirstSlots = 1024;

  u32& insert(const Fingerprint& print);

  std::vector<Slot> slots_ = std::vector<Slot>(kFirstSlots);
  std::size_t used_ = 0;
};

}  // namespace wick
