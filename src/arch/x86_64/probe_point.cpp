#include "arch/probe_point.h"

#include <algorithm>
#include <optional>

namespace wick {
namespace {

// What is looked at of a function's beginning; its first jump comes sooner, or none comes.
constexpr std::size_t kMaxBytes = 48;
// Jumps back to the beginning are looked for in so much of the function.
constexpr std::size_t kMaxFunction = 16'384;

enum Register : u8 { kSp = 4, kSi = 6, kDi = 7 };

struct Instruction {
  u32 length = 0;
  bool emulated = false;
  u32 written = 0;  // bit per register
};

u8 byte_at(std::span<const std::byte> code, std::size_t at) {
  return std::to_integer<u8>(code[at]);
}

// One instruction, byte by byte. Whatever is not on the short list of instructions that compilers
// begin functions with is nothing.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> code) : code_(code) {}

  std::optional<Instruction> decode() {
    if (!take_prefixes()) return std::nullopt;
    const auto opcode = next();
    if (!opcode) return std::nullopt;
    if (is_emulated(*opcode)) return finish({.emulated = true});
    if (*opcode == 0x0F) return two_byte();
    return one_byte(*opcode);
  }

 private:
  std::optional<u8> next() {
    if (at_ >= code_.size()) return std::nullopt;
    return byte_at(code_, at_++);
  }

  bool take_prefixes() {
    for (; at_ < code_.size() && at_ < 4; at_++) {
      const u8 byte = byte_at(code_, at_);
      if (byte == 0x66) wide_immediate_ = false;
      const bool known = byte == 0x66 || byte == 0x64 || byte == 0x65 || byte == 0xF3;
      if (!known) break;
      prefixed_ = true;
      repeated_ = repeated_ || byte == 0xF3;
    }
    if (at_ < code_.size() && (byte_at(code_, at_) & 0xF0) == 0x40) rex_ = byte_at(code_, at_++);
    return at_ < code_.size();
  }

  // As arch/x86/kernel/uprobes.c has it since 5.x: jumps and calls by distance, push of a register,
  // nop; none of them prefixed, but for push's REX.B.
  [[nodiscard]] bool is_emulated(u8 opcode) {
    if (prefixed_) return false;
    if (opcode >= 0x50 && opcode <= 0x57) return rex_ == 0 || rex_ == 0x41;
    if (rex_ != 0) return false;
    if (opcode == 0x0F) {
      const bool jcc = at_ < code_.size() && (byte_at(code_, at_) & 0xF0) == 0x80;
      return jcc && code_.size() - at_ >= 5;
    }
    const bool near_jump = (opcode & 0xF0) == 0x70 || opcode == 0xEB;
    return opcode == 0x90 || near_jump || opcode == 0xE9 || opcode == 0xE8;
  }

  std::optional<Instruction> one_byte(u8 opcode) {
    const u8 low = opcode & 7U;
    if (opcode < 0x40 && low < 4) return alu(opcode);
    if (opcode < 0x40 && low < 6) return skip_immediate(low == 4 ? 1 : 4, {.written = 1});
    if (opcode >= 0xB8 && opcode <= 0xBF)
      return skip_immediate((rex_ & 8U) != 0 ? 8 : 4, {.written = bit(low, (rex_ & 1U) != 0)});
    switch (opcode) {
      case 0x63:  // movslq
      case 0x8A:
      case 0x8B:  // mov to a register
      case 0x8D:  // lea
        return modrm(Writes::reg, 0);
      case 0x84:
      case 0x85:  // test
        return modrm(Writes::none, 0);
      case 0x88:
      case 0x89:  // mov from a register
        return modrm(Writes::rm, 0);
      case 0x80:
      case 0x83:  // arithmetic with a byte
      case 0xC6:
      case 0xC0:
      case 0xC1:  // shifts
        return modrm(Writes::rm, 1);
      case 0x81:
      case 0xC7:
        return modrm(Writes::rm, 4);
      case 0xA8:
        return skip_immediate(1, {});
      case 0xA9:
        return skip_immediate(4, {});
      default:
        return std::nullopt;
    }
  }

  // add, or, adc, sbb, and, sub, xor, cmp: r/m first, then the other way round.
  std::optional<Instruction> alu(u8 opcode) {
    const bool compares = (opcode & 0x38U) == 0x38;
    const bool to_register = (opcode & 2U) != 0;
    if (compares) return modrm(Writes::none, 0);
    return modrm(to_register ? Writes::reg : Writes::rm, 0);
  }

  std::optional<Instruction> two_byte() {
    const auto opcode = next();
    if (!opcode) return std::nullopt;
    switch (*opcode) {
      case 0x1E: {  // endbr64
        const auto last = next();
        if (!repeated_ || last != u8{0xFA}) return std::nullopt;
        return finish({});
      }
      case 0x1F:  // a long nop; kernels before 6.18 step over it
        return modrm(Writes::none, 0);
      case 0xB6:
      case 0xB7:
      case 0xBE:
      case 0xBF:  // movzx, movsx
        return modrm(Writes::reg, 0);
      default:
        return std::nullopt;
    }
  }

  enum class Writes : u8 { none, reg, rm };

  std::optional<Instruction> modrm(Writes writes, u32 immediate) {
    const auto byte = next();
    if (!byte) return std::nullopt;
    const u8 mode = *byte >> 6U, reg = (*byte >> 3U) & 7U, rm = *byte & 7U;
    u32 skip = mode == 1 ? 1 : mode == 2 ? 4 : 0;
    if (mode != 3 && rm == 4) {
      const auto scaled = next();
      if (!scaled) return std::nullopt;
      if (mode == 0 && (*scaled & 7U) == 5) skip = 4;
    } else if (mode == 0 && rm == 5) {
      skip = 4;  // relative to %rip
    }
    Instruction out;
    if (writes == Writes::reg) out.written = bit(reg, (rex_ & 4U) != 0);
    if (writes == Writes::rm && mode == 3) out.written = bit(rm, (rex_ & 1U) != 0);
    return skip_immediate(skip + (immediate == 4 && !wide_immediate_ ? 2 : immediate), out);
  }

  std::optional<Instruction> skip_immediate(u32 bytes, Instruction instruction) {
    if (code_.size() - at_ < bytes) return std::nullopt;
    at_ += bytes;
    return finish(instruction);
  }

  std::optional<Instruction> finish(Instruction instruction) const {
    instruction.length = static_cast<u32>(at_);
    return instruction;
  }

  static u32 bit(u8 reg, bool extended) { return 1U << (reg + (extended ? 8U : 0U)); }

  std::span<const std::byte> code_;
  std::size_t at_ = 0;
  u8 rex_ = 0;
  bool prefixed_ = false;
  bool repeated_ = false;
  bool wide_immediate_ = true;
};

i64 signed_at(std::span<const std::byte> code, std::size_t at, u32 bytes) {
  u32 value = 0;
  for (u32 i = 0; i < bytes; i++) value |= u32{byte_at(code, at + i)} << (8 * i);
  return bytes == 1 ? static_cast<i8>(value) : static_cast<i32>(value);
}

// A jump back behind the start would run the probe once more. Every byte is tried as if an
// instruction began there: what is no jump at all may be taken for one, and costs only time.
bool is_jumped_to(std::span<const std::byte> code, u32 last) {
  const auto lands_before = [&](std::size_t end, i64 distance) {
    const i64 target = static_cast<i64>(end) + distance;
    return target > 0 && target <= i64{last};
  };
  for (std::size_t i = last; i < code.size(); i++) {
    const u8 byte = byte_at(code, i);
    const bool near_jump = (byte & 0xF0) == 0x70 || byte == 0xEB;
    if (near_jump && i + 2 <= code.size() && lands_before(i + 2, signed_at(code, i + 1, 1)))
      return true;
    if (byte == 0xE9 && i + 5 <= code.size() && lands_before(i + 5, signed_at(code, i + 1, 4)))
      return true;
    const bool far_jcc =
        byte == 0x0F && i + 6 <= code.size() && (byte_at(code, i + 1) & 0xF0) == 0x80;
    if (far_jcc && lands_before(i + 6, signed_at(code, i + 2, 4))) return true;
  }
  return false;
}

}  // namespace

u32 probe_point(std::span<const std::byte> code, Arguments arguments) {
  const u32 needed = 1U << kSp | 1U << kDi | (arguments == Arguments::two ? 1U << kSi : 0U);
  code = code.first(std::min(code.size(), kMaxFunction));
  const auto beginning = code.first(std::min(code.size(), kMaxBytes));
  for (u32 at = 0; at < beginning.size();) {
    const auto instruction = Decoder{beginning.subspan(at)}.decode();
    if (!instruction) return 0;
    if (instruction->emulated) return at != 0 && is_jumped_to(code, at) ? 0 : at;
    if ((instruction->written & needed) != 0) return 0;
    at += instruction->length;
  }
  return 0;
}

}  // namespace wick
