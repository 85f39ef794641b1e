#include "unwind/cfi.h"

#include <dwarf.h>

namespace wick {
namespace {

// Wraps: offsets of a hostile file are numbers like any other.
i64 scaled(u64 value, i64 by) {
  return static_cast<i64>(value * static_cast<u64>(by));
}

}  // namespace

std::optional<u64> read_pointer(ByteReader& in, u8 encoding, u64 section_address) {
  if (encoding == DW_EH_PE_omit || (encoding & 0x70) == DW_EH_PE_aligned) return std::nullopt;
  const u64 at = section_address + in.position();
  u64 value = 0;
  switch (encoding & 0x0F) {
    case 0x00:
    case 0x04:
    case 0x0C:
      value = in.fixed<u64>();
      break;
    case 0x01:
      value = in.uleb();
      break;
    case 0x02:
      value = in.fixed<u16>();
      break;
    case 0x03:
      value = in.fixed<u32>();
      break;
    case 0x09:
      value = static_cast<u64>(in.sleb());
      break;
    case 0x0A:
      value = static_cast<u64>(i64{in.fixed<i16>()});
      break;
    case 0x0B:
      value = static_cast<u64>(i64{in.fixed<i32>()});
      break;
    default:
      return std::nullopt;
  }
  const u8 base = encoding & 0x70;
  if (base == DW_EH_PE_pcrel)
    value += at;
  else if (base != 0)
    return std::nullopt;
  if (!in.ok()) return std::nullopt;
  return value;
}

void CfiMachine::set_offset(u64 reg, i64 offset, const Cie& cie) {
  if (reg == kDwarfBp) state_.bp = {.kind = BpRule::at_cfa, .offset = offset};
  if (reg == cie.return_register)
    state_.ret = {.kind = offset == -8 ? ReturnRule::at_cfa_minus_8 : ReturnRule::elsewhere};
}

void CfiMachine::restore(u64 reg, const Cie& cie) {
  if (reg == kDwarfBp) state_.bp = cie.initial.bp;
  if (reg == cie.return_register) state_.ret = cie.initial.ret;
}

CfiMachine::Step CfiMachine::step(ByteReader& in, const Cie& cie, u64 section_address) {
  const u8 opcode = in.byte();
  return (opcode & 0xC0) != 0 ? high_step(opcode, in, cie)
                              : low_step(opcode, in, cie, section_address);
}

CfiMachine::Step CfiMachine::high_step(u8 opcode, ByteReader& in, const Cie& cie) {
  const u8 low = opcode & 0x3F;
  switch (opcode & 0xC0) {
    case DW_CFA_advance_loc:
      next_ += low * cie.code_align;
      return Step::advance;
    case DW_CFA_offset:
      set_offset(low, scaled(in.uleb(), cie.data_align), cie);
      return Step::state;
    default:
      restore(low, cie);
      return Step::state;
  }
}

CfiMachine::Step CfiMachine::low_step(u8 opcode, ByteReader& in, const Cie& cie,
                                      u64 section_address) {
  switch (opcode) {
    case DW_CFA_nop:
      return Step::state;
    case DW_CFA_advance_loc1:
      next_ += in.fixed<u8>() * cie.code_align;
      return Step::advance;
    case DW_CFA_advance_loc2:
      next_ += in.fixed<u16>() * cie.code_align;
      return Step::advance;
    case DW_CFA_advance_loc4:
      next_ += in.fixed<u32>() * cie.code_align;
      return Step::advance;
    case DW_CFA_set_loc: {
      const auto to = read_pointer(in, cie.pointer_encoding, section_address);
      if (!to) return Step::unknown;
      next_ = *to;
      return Step::advance;
    }
    case DW_CFA_def_cfa:
      state_.cfa = {.reg_number = in.uleb(), .offset = static_cast<i64>(in.uleb()), .program = {}};
      return Step::state;
    case DW_CFA_def_cfa_sf:
      state_.cfa = {.reg_number = in.uleb(), .offset = 0, .program = {}};
      state_.cfa.offset = scaled(static_cast<u64>(in.sleb()), cie.data_align);
      return Step::state;
    case DW_CFA_def_cfa_register:
      state_.cfa.kind = CfaRule::reg;
      state_.cfa.reg_number = in.uleb();
      return Step::state;
    case DW_CFA_def_cfa_offset:
      state_.cfa.offset = static_cast<i64>(in.uleb());
      return Step::state;
    case DW_CFA_def_cfa_offset_sf:
      state_.cfa.offset = scaled(static_cast<u64>(in.sleb()), cie.data_align);
      return Step::state;
    case DW_CFA_def_cfa_expression:
      state_.cfa.kind = CfaRule::expression;
      state_.cfa.program = in.take(in.uleb()).rest();
      return Step::state;
    case DW_CFA_remember_state:
      if (remembered_.size() == kRemembered) return Step::unknown;
      remembered_.push_back(state_);
      return Step::state;
    case DW_CFA_restore_state:
      if (remembered_.empty()) return Step::unknown;
      state_ = remembered_.back();
      remembered_.pop_back();
      return Step::state;
    default:
      return rare_step(opcode, in, cie);
  }
}

// Those that name a register other than by its saved place.
CfiMachine::Step CfiMachine::rare_step(u8 opcode, ByteReader& in, const Cie& cie) {
  if (opcode == DW_CFA_GNU_args_size) {
    in.uleb();
    return Step::state;
  }
  if (opcode == DW_CFA_GNU_window_save) return Step::state;
  if (opcode > DW_CFA_val_expression && opcode != DW_CFA_GNU_negative_offset_extended)
    return Step::unknown;
  const u64 reg = in.uleb();
  const auto lose = [&] {
    if (reg == kDwarfBp) state_.bp = {.kind = BpRule::lost};
    if (reg == cie.return_register) state_.ret = {.kind = ReturnRule::elsewhere};
  };
  switch (opcode) {
    case DW_CFA_offset_extended:
      set_offset(reg, scaled(in.uleb(), cie.data_align), cie);
      break;
    case DW_CFA_offset_extended_sf:
      set_offset(reg, scaled(static_cast<u64>(in.sleb()), cie.data_align), cie);
      break;
    case DW_CFA_GNU_negative_offset_extended:
      set_offset(reg, scaled(u64{0} - in.uleb(), cie.data_align), cie);
      break;
    case DW_CFA_restore_extended:
      restore(reg, cie);
      break;
    case DW_CFA_undefined:
      if (reg == kDwarfBp) state_.bp = {.kind = BpRule::lost};
      if (reg == cie.return_register) state_.ret = {.kind = ReturnRule::undefined};
      break;
    case DW_CFA_same_value:
      lose();
      if (reg == kDwarfBp) state_.bp = {};
      break;
    case DW_CFA_register: {
      const u64 holds = in.uleb();
      lose();
      if (reg == cie.return_register)
        state_.ret = {.kind = ReturnRule::in_register, .reg_number = holds};
      break;
    }
    case DW_CFA_val_offset:
      in.uleb();
      lose();
      break;
    case DW_CFA_val_offset_sf:
      in.sleb();
      lose();
      break;
    case DW_CFA_expression: {
      ByteReader program = in.take(in.uleb());
      const bool by_bp = program.byte() == DW_OP_breg0 + kDwarfBp;
      const i64 offset = program.sleb();
      lose();
      if (reg == kDwarfBp && by_bp && program.ok() && program.done())
        state_.bp = {.kind = BpRule::at_bp, .offset = offset};
      break;
    }
    case DW_CFA_val_expression:
      in.take(in.uleb());
      lose();
      break;
    default:
      return Step::unknown;
  }
  return Step::state;
}

Cie parse_cie(ByteReader in, const CfiSection& section) {
  Cie cie;
  const u8 version = in.byte();
  if (version != 1 && version != 3 && version != 4) return cie;
  const std::string_view augmentation = in.text();
  if (version == 4 && section.debug_frame) {
    cie.address_size = in.byte();
    cie.segment_size = in.byte();
    if (cie.address_size != 8 || cie.segment_size > 8) return cie;
  }
  cie.code_align = in.uleb();
  cie.data_align = in.sleb();
  cie.return_register = version == 1 ? in.byte() : in.uleb();
  if (!augmentation.empty() && augmentation[0] != 'z') return cie;
  if (!augmentation.empty()) {
    cie.has_augmentation = true;
    ByteReader data = in.take(in.uleb());
    for (const char letter : augmentation.substr(1)) {
      if (letter == 'R') cie.pointer_encoding = data.byte();
      if (letter == 'L') data.byte();
      if (letter == 'S') cie.is_signal = true;
      // Its value is of no interest, and indirect: only its length.
      if (letter == 'P') {
        const u8 encoding = data.byte() & 0x0F;
        if (!read_pointer(data, encoding, section.address)) return cie;
      }
    }
    if (!data.ok()) return cie;
  }
  CfiMachine machine;
  cie.valid = machine.run(in, cie, 0, 1, section.address, [&](u64, const CfiState& state) {
    cie.initial = state;
    return true;
  });
  cie.valid = cie.valid && in.ok();
  return cie;
}

}  // namespace wick
