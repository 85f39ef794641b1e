#include "unwind/go_rows.h"

#include <algorithm>
#include <limits>

#include "arch/call_site.h"
#include "unwind/go_switches.h"

namespace wick {
namespace {

// Functions of the runtime that are looked into have less.
constexpr u64 kMostCode = 4096;
constexpr u64 kWindowBytes = u64{256} << 10;
constexpr u8 kPushBp = 0x55;
constexpr u8 kPadding = 0xCC;

// Code of the file, read forwards in large pieces.
class GoText {
 public:
  explicit GoText(const ElfFile& elf) : elf_(&elf) {}

  // As much of [begin, end) as the file has, up to kMostCode.
  std::span<const std::byte> read(u64 begin, u64 end) {
    const u64 size = std::min(end - begin, kMostCode);
    if (begin < window_begin_ || begin + size > window_begin_ + window_.size()) fill(begin);
    if (begin < window_begin_ || begin - window_begin_ > window_.size()) return {};
    const u64 at = begin - window_begin_;
    return std::span{window_}.subspan(at, std::min(size, window_.size() - at));
  }
  u8 byte(u64 at) {
    const auto got = read(at, at + 1);
    return got.empty() ? u8{0} : u8(got[0]);
  }

 private:
  void fill(u64 begin) {
    window_begin_ = begin;
    window_.resize(kWindowBytes);
    const auto offset = elf_->vaddr_to_file_offset(begin);
    window_.resize(offset ? elf_->bytes().read_some(*offset, window_) : 0);
  }

  const ElfFile* elf_;
  u64 window_begin_ = 0;
  std::vector<std::byte> window_;
};

// Addresses that go by one rule.
struct GoSpan {
  u64 begin;
  u64 end;
  i32 delta;  // from sp to the return address
  bool bp_saved = false;
  wick_unwind_rule rule = WICK_UNWIND_SP;
  u16 place = 0;
};

wick_unwind_row row_of_span(const GoSpan& span, u64 begin) {
  wick_unwind_row row{.pc = static_cast<u32>(span.begin - begin),
                      .cfa = 0,
                      .bp = WICK_UNWIND_BP_SAME,
                      .rule = static_cast<u8>(span.rule)};
  if (span.rule == WICK_UNWIND_END || span.rule == WICK_UNWIND_UNSUPPORTED ||
      span.rule == WICK_UNWIND_SIGNAL)
    return row;
  const i64 words = (i64{span.delta} + 8) / 8;
  const bool by_sp = span.rule == WICK_UNWIND_SP;
  const bool has_cfa = span.rule == WICK_UNWIND_GO_GROW || span.rule == WICK_UNWIND_GO_VDSO;
  if (span.delta < 0 || span.delta % 8 != 0 ||
      words > (by_sp ? i64{std::numeric_limits<u16>::max()} : 15)) {
    row.rule = WICK_UNWIND_UNSUPPORTED;
    return row;
  }
  if (span.bp_saved && span.delta >= 8) row.bp = -2;
  const u32 up = by_sp ? static_cast<u32>(words) : static_cast<u32>(words) << 8;
  row.cfa = static_cast<i16>(static_cast<u16>(span.place | (has_cfa ? 0 : up)));
  return row;
}

class GoRowMaker {
 public:
  GoRowMaker(const ElfFile& elf, const GoTable& table, const GoRowsVisit& visit)
      : elf_(elf), table_(table), visit_(visit), text_(elf) {}

  Status run() {
    find_thread();
    u64 behind = 0;
    for (std::size_t i = 0; i < table_.size(); i++) {
      if (!elf_.budget().spend(Cost::steps, 1)) return fail(elf_.budget().cause());
      const auto function = table_.function(i);
      if (!function || function->begin < behind) continue;
      behind = function->end;
      TRY(add(*function));
    }
    return {};
  }

 private:
  void find_thread() {
    for (std::size_t i = 0; i < table_.size() && !thread_; i++) {
      const auto function = table_.function(i);
      if (function && (function->flags & GoFunction::kWritesSp) != 0 &&
          table_.name(function->name) == "runtime.systemstack")
        thread_ = find_go_thread(text_.read(function->begin, function->end));
    }
  }

  Status add(const GoFunction& function) {
    spans_.clear();
    u64 begin = function.begin;
    const std::string_view name = table_.name(function.name);
    const bool is_root = (function.flags & GoFunction::kTopFrame) != 0;
    if (name.starts_with("runtime.sigreturn") &&
        is_signal_return(text_.read(begin, begin + kSignalReturnBytes))) {
      // The kernel's return address is its first byte, and looked up as the one before.
      if (text_.byte(begin - 1) == kPadding) begin--;
      spans_.push_back({begin, function.end, 0, false, WICK_UNWIND_SIGNAL});
    } else if ((is_root && name != "runtime.sigtramp") ||
               (elf_.entry() >= function.begin && elf_.entry() < function.end)) {
      spans_.push_back({begin, function.end, 0, false, WICK_UNWIND_END});
    } else {
      TRY(add_distances(function));
      if ((function.flags & GoFunction::kWritesSp) != 0) add_switches(function, name);
    }
    if (spans_.empty()) return {};
    rows_.clear();
    for (const GoSpan& span : spans_) rows_.push_back(row_of_span(span, begin));
    return visit_(begin, spans_.back().end, rows_);
  }

  Status add_distances(const GoFunction& function) {
    table_.for_each_value(function.pcsp, function, [&](u64 begin, u64 end, i32 delta) {
      spans_.push_back({begin, end, delta});
      return true;
    });
    if (!elf_.budget().ok()) return fail(elf_.budget().cause());
    find_saved_bp();
    return {};
  }

  // `push %rbp` first (since 1.21), or `sub $N,%rsp; mov %rbp,N-8(%rsp)`: it is next to the return
  // address. Code without either leaves bp alone.
  void find_saved_bp() {
    const auto first = std::ranges::find_if(spans_, [](const GoSpan& s) { return s.delta > 0; });
    if (first == spans_.end() || first == spans_.begin()) return;
    u64 saved_from = 0;
    if (first->delta == 8 && text_.byte(first->begin - 1) == kPushBp) {
      saved_from = first->begin;
    } else if (const u64 length = bp_store(first->begin, first->delta - 8); length > 0) {
      saved_from = std::min(first->begin + length, first->end);
    }
    if (saved_from == 0) return;
    for (auto at = first; at != spans_.end(); ++at) at->bp_saved = true;
    if (saved_from == first->begin || saved_from == first->end) return;
    GoSpan before = *first;
    before.end = saved_from;
    before.bp_saved = false;
    first->begin = saved_from;
    spans_.insert(first, before);
  }

  // How long the instruction `mov %rbp,offset(%rsp)` at `pc` is; 0: it is another one.
  u64 bp_store(u64 pc, i32 offset) {
    const auto code = text_.read(pc, pc + 8);
    const auto at = [&](std::size_t i) { return i < code.size() ? u8(code[i]) : u8{0}; };
    if (at(0) != 0x48 || at(1) != 0x89) return 0;
    if (at(2) == 0x2C && at(3) == 0x24 && offset == 0) return 4;
    if (at(2) == 0x6C && at(3) == 0x24 && offset == i32{static_cast<i8>(at(4))}) return 5;
    i32 wide = 0;
    if (code.size() == 8) std::memcpy(&wide, code.data() + 4, sizeof(wide));
    return at(2) == 0xAC && at(3) == 0x24 && offset == wide ? 8 : 0;
  }

  void add_switches(const GoFunction& function, std::string_view name) {
    const auto code = text_.read(function.begin, function.end);
    for (const GoSwitch& change : find_go_switches(name, function.begin, code, thread_))
      replace(change);
  }

  void replace(const GoSwitch& change) {
    const std::vector<GoSpan> old = std::exchange(spans_, {});
    const auto keep = [&](GoSpan span, u64 begin, u64 end) {
      span.begin = std::max(span.begin, begin);
      span.end = std::min(span.end, end);
      if (span.begin < span.end) spans_.push_back(span);
    };
    for (const GoSpan& span : old) {
      keep(span, 0, change.begin);
      GoSpan changed = span;
      changed.rule = change.rule;
      changed.place = change.place;
      keep(changed, change.begin, change.end);
      keep(span, change.end, ~u64{0});
    }
  }

  const ElfFile& elf_;
  const GoTable& table_;
  const GoRowsVisit& visit_;
  GoText text_;
  std::optional<GoThread> thread_;
  std::vector<GoSpan> spans_;
  std::vector<wick_unwind_row> rows_;
};

}  // namespace

Status make_go_rows(const ElfFile& elf, const GoTable& table, const GoRowsVisit& visit) {
  return GoRowMaker{elf, table, visit}.run();
}

}  // namespace wick
