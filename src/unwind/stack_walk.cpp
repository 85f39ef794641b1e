#include "unwind/stack_walk.h"

#include <optional>

namespace wick {
namespace {

class StackWalker {
 public:
  StackWalker(const WalkRegisters& registers, const StackCopy& stack, const FindRow& find,
              WalkLimits limits)
      : stack_(stack),
        find_(find),
        limits_(limits),
        pc_(registers.ip),
        sp_(registers.sp),
        bp_(registers.bp),
        exact_(registers.exact) {
    out_.frames.push_back(pc_);
  }

  StackWalk walk() && {
    while (true) {
      if (const auto stop = step()) {
        out_.stop = *stop;
        return std::move(out_);
      }
      if (out_.frames.size() >= limits_.depth) return std::move(out_);
      out_.frames.push_back(pc_ + (exact_ ? 1 : 0));
    }
  }

 private:
  using Stop = std::optional<wick_stop>;  // nothing: go on

  [[nodiscard]] std::optional<u64> read(u64 address) const {
    const u64 at = address - stack_.base;
    if (at % sizeof(u64) == 0) {
      if (at / sizeof(u64) >= stack_.words.size()) return std::nullopt;
      return stack_.words[at / sizeof(u64)];
    }
    // A stack that is not aligned.
    if (at / sizeof(u64) + 1 >= stack_.words.size()) return std::nullopt;
    const u64 shift = at % sizeof(u64) * 8;
    return stack_.words[at / sizeof(u64)] >> shift | stack_.words[at / sizeof(u64) + 1]
                                                         << (64 - shift);
  }

  Stop step() {
    const u64 pc = exact_ ? pc_ : pc_ - 1;
    exact_ = false;
    const RowAnswer answer = find_(pc);
    switch (answer.kind) {
      case RowAnswer::Kind::row:
        return by_row(answer.row);
      case RowAnswer::Kind::by_pointer:
        return by_pointer(WICK_STOP_POINTER);
      case RowAnswer::Kind::waiting:
        out_.waiting = true;
        return by_pointer(WICK_STOP_NO_TABLE);
      case RowAnswer::Kind::no_table:
        return by_pointer(WICK_STOP_NO_TABLE);
      case RowAnswer::Kind::gap:
        return by_pointer(WICK_STOP_GAP);
      case RowAnswer::Kind::no_file:
        break;
    }
    // A frame pointer that was none leads anywhere: then the last frame is to blame.
    return by_pointer(doubt_.value_or(WICK_STOP_NO_FILE));
  }

  Stop by_pointer(wick_stop why) {
    if (!limits_.pointers || bp_ < sp_) return why;
    const auto caller_bp = read(bp_);
    const auto caller_pc = read(bp_ + 8);
    if (!caller_bp || !caller_pc) return why;
    if (*caller_pc == 0) return why;  // no root: garbage finds zeros too
    sp_ = bp_ + 16;
    bp_ = *caller_bp;
    pc_ = *caller_pc;
    out_.by_pointer++;
    doubt_ = why;
    return std::nullopt;
  }

  // All that was interrupted is in the frame.
  Stop by_signal() {
    const auto pc = read(sp_ + WICK_UNWIND_SIGNAL_IP);
    const auto bp = read(sp_ + WICK_UNWIND_SIGNAL_BP);
    const auto sp = read(sp_ + WICK_UNWIND_SIGNAL_SP);
    if (!pc || !bp || !sp) return WICK_STOP_UNREADABLE;
    pc_ = *pc;
    bp_ = *bp;
    sp_ = *sp;
    exact_ = true;
    out_.by_table++;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<u64> cfa_of(const wick_unwind_row& row) const {
    const auto behind = [&](u64 address) -> std::optional<u64> {
      const auto word = read(address);
      if (!word) return std::nullopt;
      return *word + 8 * static_cast<u64>(static_cast<i64>(static_cast<i8>(row.cfa >> 8)));
    };
    switch (row.rule) {
      case WICK_UNWIND_SP:
        return sp_ + 8 * u64{static_cast<u16>(row.cfa)};
      case WICK_UNWIND_BP:
        return bp_ + 8 * static_cast<u64>(i64{row.cfa});
      case WICK_UNWIND_PLT:
        return sp_ + 8 + ((pc_ & 15) >= static_cast<u64>(row.cfa) ? 8 : 0);
      case WICK_UNWIND_SP_DEREF:
        return behind(sp_ + 8 * u64{static_cast<u8>(row.cfa)});
      case WICK_UNWIND_BP_DEREF:
        return behind(bp_ + 8 * static_cast<u64>(static_cast<i64>(static_cast<i8>(row.cfa))));
      default:
        return std::nullopt;
    }
  }

  Stop by_row(const wick_unwind_row& row) {
    if (row.rule == WICK_UNWIND_END) return WICK_STOP_ROOT;
    if (row.rule == WICK_UNWIND_GAP) return by_pointer(WICK_STOP_GAP);
    if (row.rule == WICK_UNWIND_SIGNAL) return by_signal();
    // Rules that take more than a stack: registers, Go's own structures.
    if (row.rule > WICK_UNWIND_SIGNAL) return WICK_STOP_RULE;
    const auto cfa = cfa_of(row);
    if (!cfa) return WICK_STOP_UNREADABLE;
    if (*cfa <= sp_) return WICK_STOP_BACKWARDS;
    const auto pc = read(*cfa - 8);
    const auto bp = caller_bp(row, *cfa);
    if (!pc || !bp) return WICK_STOP_UNREADABLE;
    if (*pc == 0) return WICK_STOP_ZERO;
    sp_ = *cfa;
    bp_ = *bp;
    pc_ = *pc;
    doubt_.reset();
    out_.by_table++;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<u64> caller_bp(const wick_unwind_row& row, u64 cfa) const {
    if (row.bp == WICK_UNWIND_BP_SAME) return bp_;
    if (row.bp == WICK_UNWIND_BP_LOST) return 0;
    return read(row.bp == WICK_UNWIND_BP_AT_BP ? bp_ : cfa + 8 * static_cast<u64>(i64{row.bp}));
  }

  const StackCopy& stack_;
  const FindRow& find_;
  WalkLimits limits_;
  u64 pc_;
  u64 sp_;
  u64 bp_;
  bool exact_;
  std::optional<wick_stop> doubt_;  // why a frame pointer told the last caller
  StackWalk out_;
};

}  // namespace

StackWalk walk_stack(const WalkRegisters& registers, const StackCopy& stack, const FindRow& find,
                     WalkLimits limits) {
  return StackWalker{registers, stack, find, limits}.walk();
}

}  // namespace wick
