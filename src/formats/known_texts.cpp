#include "formats/known_texts.h"

namespace wick {

void KnownTexts::clear() {
  slots_.assign(kFirstSlots, {});
  used_ = 0;
}

u32& KnownTexts::insert(const Fingerprint& print) {
  const auto place = [](std::vector<Slot>& slots, u64 first) -> Slot& {
    const std::size_t mask = slots.size() - 1;
    std::size_t at = first & mask;
    while (slots[at].value != kNew) at = (at + 1) & mask;
    return slots[at];
  };
  // Three quarters full at most: the table shall fit a core's own cache.
  if ((used_ + 1) * 4 > slots_.size() * 3) {
    std::vector<Slot> larger(slots_.size() * 2);
    for (const Slot& slot : slots_)
      if (slot.value != kNew) place(larger, slot.first) = slot;
    slots_ = std::move(larger);
  }
  used_++;
  Slot& slot = place(slots_, print.first);
  slot.first = print.first;
  slot.second = print.second;
  return slot.value;
}

}  // namespace wick
