// Call frame information: the programs of .eh_frame and .debug_frame, run. Used by unwind_table.
//
//   A CIE has what functions share; an FDE is one function: a range and a program. Running it
//   gives, for each address on, where the caller's frame is (CFA) and where its bp was saved.
//
// The bytes belong to somebody else: work is linear in their number, and memory constant per FDE.
#pragma once

#include <optional>
#include <vector>

#include "arch/registers.h"
#include "base/byte_reader.h"
#include "bpf/abi/unwind.h"

namespace wick {

// Where a register's value is, for the two we follow.
struct BpRule {
  enum Kind : u8 { same, at_cfa, at_bp, lost };
  Kind kind = same;
  i64 offset = 0;
  bool operator==(const BpRule&) const = default;
};

struct CfaRule {
  enum Kind : u8 { reg, expression };
  Kind kind = reg;
  u64 reg_number = kDwarfSp;
  i64 offset = 8;
  std::span<const std::byte> program;  // of an expression
};

// Where the return address is.
struct ReturnRule {
  enum Kind : u8 { at_cfa_minus_8, in_register, undefined, elsewhere };
  Kind kind = at_cfa_minus_8;
  u64 reg_number = 0;
};

struct CfiState {
  CfaRule cfa;
  BpRule bp;
  ReturnRule ret;
};

struct Cie {
  u64 code_align = 1;
  i64 data_align = 1;
  u64 return_register = kDwarfReturnAddress;
  u8 pointer_encoding = 0;
  u8 address_size = 8;
  u8 segment_size = 0;  // of what stands before a function's address
  bool has_augmentation = false;
  bool is_signal = false;
  bool valid = false;
  CfiState initial;
};

// The section's address, and whether it is .debug_frame: CIEs are found another way there.
struct CfiSection {
  std::span<const std::byte> bytes;
  u64 address = 0;
  bool debug_frame = false;
};

[[nodiscard]] Cie parse_cie(ByteReader in, const CfiSection& section);

// nothing: an encoding we do not follow, or bytes that end too early.
[[nodiscard]] std::optional<u64> read_pointer(ByteReader& in, u8 encoding, u64 section_address);

// The row for one state; pc is left 0.
[[nodiscard]] wick_unwind_row row_of(const CfiState& state, bool is_signal);

// Runs programs, with a memory for DW_CFA_remember_state that is kept between them.
class CfiMachine {
 public:
  // Calls emit(pc, state) for each state from its address on, up to `end`. False: emit() said so,
  // or the program has an instruction nobody knows; what was emitted before is good.
  template <class Emit>
  bool run(ByteReader program, const Cie& cie, u64 begin, u64 end, u64 section_address, Emit emit);

 private:
  enum class Step : u8 { state, advance, unknown };
  Step step(ByteReader& in, const Cie& cie, u64 section_address);
  Step high_step(u8 opcode, ByteReader& in, const Cie& cie);
  Step low_step(u8 opcode, ByteReader& in, const Cie& cie, u64 section_address);
  Step rare_step(u8 opcode, ByteReader& in, const Cie& cie);
  void set_offset(u64 reg, i64 offset, const Cie& cie);
  void restore(u64 reg, const Cie& cie);

  static constexpr std::size_t kRemembered = 32;

  CfiState state_;
  u64 next_ = 0;  // where an advance leads
  std::vector<CfiState> remembered_;

  friend Cie parse_cie(ByteReader in, const CfiSection& section);
};

template <class Emit>
bool CfiMachine::run(ByteReader program, const Cie& cie, u64 begin, u64 end, u64 section_address,
                     Emit emit) {
  state_ = cie.initial;
  remembered_.clear();
  u64 pc = begin;
  while (!program.done()) {
    next_ = pc;
    const Step did = step(program, cie, section_address);
    if (did == Step::unknown || !program.ok()) return false;
    if (did == Step::state || next_ == pc) continue;
    // Backwards, or over the end: what follows is not about this function.
    if (next_ < pc || next_ >= end) break;
    if (!emit(pc, state_)) return false;
    pc = next_;
  }
  return emit(pc, state_);
}

}  // namespace wick
