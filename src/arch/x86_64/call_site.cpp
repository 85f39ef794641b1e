#include "arch/call_site.h"

#include <algorithm>
#include <array>

namespace wick {
namespace {

constexpr unsigned kNearCall = 0xE8;  // call rel32
constexpr std::size_t kNearCallBytes = 5;
constexpr unsigned kGroupFive = 0xFF;  // call r/m64 when the register field of ModRM is 2

// Length of FF /2 with this ModRM (and SIB) byte.
std::size_t indirect_call_length(unsigned modrm, unsigned sib) {
  const unsigned mode = modrm >> 6;
  const unsigned rm = modrm & 7;
  const bool has_sib = mode != 3 && rm == 4;
  std::size_t length = has_sib ? 3 : 2;
  if (mode == 1) length += 1;
  if (mode == 2) length += 4;
  if (mode == 0 && (rm == 5 || (has_sib && (sib & 7) == 5))) length += 4;
  return length;
}

}  // namespace

bool ends_with_call(std::span<const std::byte> before) {
  const auto from_end = [&](std::size_t back) {
    return std::to_integer<unsigned>(before[before.size() - back]);
  };
  if (before.size() >= kNearCallBytes && from_end(kNearCallBytes) == kNearCall) return true;
  for (std::size_t length = 2; length <= std::min(kLongestCall, before.size()); length++) {
    if (from_end(length) != kGroupFive) continue;
    const unsigned modrm = from_end(length - 1);
    if (((modrm >> 3) & 7) != 2) continue;
    const unsigned sib = length > 2 ? from_end(length - 2) : 0;
    if (indirect_call_length(modrm, sib) == length) return true;
  }
  return false;
}

bool is_signal_return(std::span<const std::byte> after) {
  // mov $15,%rax; syscall
  constexpr std::array<unsigned char, kSignalReturnBytes> kCode{0x48, 0xC7, 0xC0, 0x0F, 0,
                                                                0,    0,    0x0F, 0x05};
  return after.size() >= kCode.size() &&
         std::ranges::equal(after.first(kCode.size()), kCode, {},
                            [](std::byte b) { return std::to_integer<unsigned char>(b); });
}

}  // namespace wick
