// A stub is "jmp *slot":
//
//   .plt.sec: endbr64; jmp *0x2fe2(%rip) ──► slot ◄── .rela.plt: R_X86_64_JUMP_SLOT memcpy
//
// With IBT the lazy half in .plt pushes the relocation's number instead.
#include "arch/plt_stub.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace wick {
namespace {

bool starts_with(std::span<const std::byte> code, std::initializer_list<unsigned> bytes) {
  if (code.size() < bytes.size()) return false;
  return std::equal(bytes.begin(), bytes.end(), code.begin(),
                    [](unsigned want, std::byte is) { return std::byte(want) == is; });
}

u32 read_u32(std::span<const std::byte> code) {
  u32 value = 0;
  std::memcpy(&value, code.data(), sizeof(value));
  return value;
}

std::optional<u64> jump_slot(const PltCode& file, u64 at, std::span<const std::byte> code) {
  constexpr u64 kLength = 6;
  if (code.size() < kLength) return std::nullopt;
  const u32 operand = read_u32(code.subspan(2));
  if (starts_with(code, {0xff, 0x25})) {
    if (!file.is_64) return operand;
    return at + kLength + static_cast<u64>(static_cast<i64>(static_cast<i32>(operand)));
  }
  if (!file.is_64 && starts_with(code, {0xff, 0xa3}))  // jmp *operand(%ebx)
    return static_cast<u32>(file.got_base + operand);
  return std::nullopt;
}

}  // namespace

std::optional<DecodedStub> decode_plt_stub(const PltCode& file, u64 start,
                                           std::span<const std::byte> code) {
  const auto skip = [&](std::size_t count) {
    code = code.subspan(count);
    start += count;
  };
  if (starts_with(code, {0xf3, 0x0f, 0x1e, file.is_64 ? 0xfaU : 0xfbU})) skip(4);  // endbr
  if (starts_with(code, {0xf2})) skip(1);                                          // bnd
  if (const auto slot = jump_slot(file, start, code)) return DecodedStub{*slot, false};
  if (!starts_with(code, {0x68}) || code.size() < 5) return std::nullopt;  // push imm32
  // i386 pushes the relocation's byte offset, x86-64 its index.
  const u32 pushed = read_u32(code.subspan(1));
  return DecodedStub{file.is_64 ? pushed : pushed / sizeof(Elf32_Rel), true};
}

// 16 bytes, but .plt.got's are 8, and so are those of a static program, whose .plt gives no entry
// size.
std::size_t plt_stub_size(u64 entry_size, std::span<const std::byte> code) {
  constexpr std::size_t kShort = 8;
  constexpr std::size_t kUsual = 16;
  if (entry_size == kShort) return kShort;
  const bool unsaid = entry_size == 0 && code.size() >= kUsual;
  const auto jumps_at = [&](std::size_t at) { return starts_with(code.subspan(at), {0xff, 0x25}); };
  return unsaid && jumps_at(0) && jumps_at(kShort) ? kShort : kUsual;
}

}  // namespace wick
