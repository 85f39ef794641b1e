// The part of cfi.h that makes rows of states: what the kernel's walk can follow.
#include <dwarf.h>

#include <array>
#include <limits>

#include "unwind/cfi.h"

namespace wick {
namespace {

bool fits_eighths(i64 value, i64 low, i64 high) {
  return value % 8 == 0 && value / 8 >= low && value / 8 <= high;
}

// sp + 8 + ((pc & 15) >= N) * 8, as linkers describe a PLT entry: N, or nothing.
std::optional<u8> plt_threshold(std::span<const std::byte> program) {
  constexpr int kSpNumber = kDwarfSp;
  constexpr int kReturnNumber = kDwarfReturnAddress;
  const std::array<int, 11> shape{DW_OP_breg0 + kSpNumber,
                                  8,
                                  DW_OP_breg0 + kReturnNumber,
                                  0,
                                  DW_OP_lit0 + 15,
                                  DW_OP_and,
                                  -1,
                                  DW_OP_ge,
                                  DW_OP_lit0 + 3,
                                  DW_OP_shl,
                                  DW_OP_plus};
  if (program.size() != shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < shape.size(); i++)
    if (shape[i] >= 0 && static_cast<int>(program[i]) != shape[i]) return std::nullopt;
  const int literal = static_cast<int>(program[6]) - DW_OP_lit0;
  if (literal < 0 || literal > 15) return std::nullopt;
  return static_cast<u8>(literal);
}

struct Deref {
  u64 reg;
  i64 offset;
  u64 plus;
};
// *(reg + offset) + plus
std::optional<Deref> as_deref(std::span<const std::byte> program) {
  ByteReader in{program};
  Deref out{.reg = u64{in.byte()} - DW_OP_breg0, .offset = in.sleb(), .plus = 0};
  if (in.byte() != DW_OP_deref) return std::nullopt;
  if (!in.done()) {
    if (in.byte() != DW_OP_plus_uconst) return std::nullopt;
    out.plus = in.uleb();
  }
  if (!in.ok() || !in.done()) return std::nullopt;
  return out;
}

void expression_row(std::span<const std::byte> program, wick_unwind_row& row) {
  if (const auto threshold = plt_threshold(program)) {
    row.rule = WICK_UNWIND_PLT;
    row.cfa = *threshold;
    return;
  }
  const auto deref = as_deref(program);
  if (!deref || deref->plus > 127 * 8 || deref->plus % 8 != 0) return;
  const bool by_sp = deref->reg == kDwarfSp && fits_eighths(deref->offset, 0, 255);
  const bool by_bp = deref->reg == kDwarfBp && fits_eighths(deref->offset, -128, 127);
  if (!by_sp && !by_bp) return;
  row.rule = by_sp ? WICK_UNWIND_SP_DEREF : WICK_UNWIND_BP_DEREF;
  const auto low = static_cast<u16>(static_cast<u8>(deref->offset / 8));
  row.cfa = static_cast<i16>(low | static_cast<u16>((deref->plus / 8) << 8));
}

i8 bp_code(const BpRule& rule) {
  switch (rule.kind) {
    case BpRule::same:
      return WICK_UNWIND_BP_SAME;
    case BpRule::at_bp:
      return rule.offset == 0 ? i8{WICK_UNWIND_BP_AT_BP} : i8{WICK_UNWIND_BP_LOST};
    case BpRule::at_cfa:
      if (rule.offset != 0 && fits_eighths(rule.offset, -127, 126))
        return static_cast<i8>(rule.offset / 8);
      return WICK_UNWIND_BP_LOST;
    case BpRule::lost:
      break;
  }
  return WICK_UNWIND_BP_LOST;
}

// sp + offset, and the return address in a register: its place in pt_regs, in words.
void register_row(const CfiState& state, wick_unwind_row& row) {
  if (state.ret.reg_number >= kSavedRegisterWord.size() || state.bp.kind != BpRule::same ||
      state.cfa.kind != CfaRule::reg || state.cfa.reg_number != kDwarfSp ||
      !fits_eighths(state.cfa.offset, 0, 255))
    return;
  row.rule = WICK_UNWIND_REGISTER;
  row.cfa = static_cast<i16>(state.cfa.offset / 8 | kSavedRegisterWord[state.ret.reg_number] << 8);
}

}  // namespace

wick_unwind_row row_of(const CfiState& state, bool is_signal) {
  wick_unwind_row row{.pc = 0, .cfa = 0, .bp = bp_code(state.bp), .rule = WICK_UNWIND_UNSUPPORTED};
  if (is_signal) {
    row.rule = WICK_UNWIND_SIGNAL;
    row.bp = 0;
  } else if (state.ret.kind == ReturnRule::undefined) {
    row.rule = WICK_UNWIND_END;
    row.bp = 0;
  } else if (state.ret.kind == ReturnRule::in_register) {
    register_row(state, row);
  } else if (state.ret.kind == ReturnRule::elsewhere) {
    row.bp = 0;
  } else if (state.cfa.kind == CfaRule::expression) {
    expression_row(state.cfa.program, row);
  } else if (state.cfa.reg_number == kDwarfSp &&
             fits_eighths(state.cfa.offset, 0, std::numeric_limits<u16>::max())) {
    row.rule = WICK_UNWIND_SP;
  } else if (state.cfa.reg_number == kDwarfBp &&
             fits_eighths(state.cfa.offset, std::numeric_limits<i16>::min(),
                          std::numeric_limits<i16>::max())) {
    row.rule = WICK_UNWIND_BP;
  }
  if (row.rule == WICK_UNWIND_SP || row.rule == WICK_UNWIND_BP)
    row.cfa = static_cast<i16>(state.cfa.offset / 8);
  if (row.rule == WICK_UNWIND_UNSUPPORTED) row.bp = 0;
  return row;
}

}  // namespace wick
