#include "unwind/unwind_table.h"

#include <elf.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "arch/machine.h"
#include "unwind/cfi.h"
#include "unwind/go_rows.h"
#include "unwind/root_functions.h"

namespace wick {
namespace {

constexpr u64 kPageBytes = u64{1} << WICK_UNWIND_PAGE_BITS;
constexpr u64 kSpanLimit = u64{1} << 30;  // of code in one file
constexpr u64 kMinSpan = u64{1} << 20;
// What an entry of the map of CIEs takes, with its node.
constexpr u64 kCieBytes = sizeof(Cie) + 32;

struct Function {
  u64 begin;
  u64 end;
  std::size_t first_row;
  std::size_t row_count;
};
// Sorting takes half as much again, and a gap may follow it.
constexpr u64 kFunctionBytes = sizeof(Function) * 3 / 2 + sizeof(wick_unwind_row);
constexpr u64 kRowBytes = 2 * sizeof(wick_unwind_row);  // once more in the table
// The smallest record, and the shortest way to a new state.
constexpr std::size_t kMinFdeBytes = 16;
constexpr std::size_t kMinRowBytes = 3;

// Row pcs are from `begin` of their function until all are known.
class Builder {
 public:
  // Code is in the file: addresses that are much further apart than the file is long are made up,
  // and would make an index of gigabytes.
  explicit Builder(const ElfFile& elf)
      : elf_(elf),
        budget_(elf.budget()),
        span_limit_(std::min(kSpanLimit, kMinSpan + 4 * std::min(elf.bytes().size(), kSpanLimit))) {
  }

  void add_stubs(u64 begin, u64 end) { stubs_.emplace_back(begin, end); }

  // Rows of one function that another source has.
  Status add_function(u64 begin, u64 end, std::span<const wick_unwind_row> rows) {
    functions_.push_back({begin, end, rows_.size(), rows.size()});
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    if (!budget_.spend(Cost::rows, rows.size()) ||
        !budget_.spend(Cost::memory, 2 * rows.size_bytes()))
      return fail(budget_.cause());
    return pay_for_function();
  }

  // Functions that another source, read before, does not cover.
  Status read(const CfiSection& section) {
    const std::size_t known = functions_.size();
    section_ = section;
    cies_.clear();
    // Growing would hold the old and the new at once; what is not touched takes no memory.
    const u64 memory = budget_.limit(Cost::memory);
    functions_.reserve(known +
                       std::min<u64>(section.bytes.size() / kMinFdeBytes, memory / kFunctionBytes));
    rows_.reserve(rows_.size() +
                  std::min<u64>(section.bytes.size() / kMinRowBytes, memory / kRowBytes));
    TRY(read_functions());
    return drop_covered(known);
  }

  Result<UnwindTable> run() {
    UnwindTable table;
    table.skipped = skipped_;
    if (functions_.empty()) return table;
    // With a record they are functions already.
    for (const auto& [begin, end] : stubs_) TRY(add_uncovered(begin, end));
    if (!budget_.spend(Cost::steps, 2 * functions_.size())) return fail(budget_.cause());
    add_roots();
    std::ranges::stable_sort(functions_, {}, &Function::begin);
    table.base = functions_.front().begin & ~(kPageBytes - 1);
    TRY(join(table));
    TRY(index(table));
    return table;
  }

 private:
  // Of the functions from `known` on, those that overlap one before it go.
  Status drop_covered(std::size_t known) {
    if (known == 0 || known == functions_.size()) return {};
    if (!budget_.spend(Cost::steps, 2 * functions_.size()) ||
        !budget_.spend(Cost::memory, known * sizeof(u64)))
      return fail(budget_.cause());
    const auto before = std::span{functions_}.first(known);
    std::ranges::stable_sort(before, {}, &Function::begin);
    std::vector<u64> ends;  // how far the functions up to each reach
    ends.reserve(known);
    for (const Function& function : before)
      ends.push_back(std::max(function.end, ends.empty() ? 0 : ends.back()));
    const auto is_covered = [&](const Function& function) {
      const auto next = std::ranges::lower_bound(before, function.end, {}, &Function::begin);
      return next != before.begin() &&
             ends[static_cast<std::size_t>(next - before.begin()) - 1] > function.begin;
    };
    const auto rest = functions_.begin() + static_cast<std::ptrdiff_t>(known);
    functions_.erase(std::remove_if(rest, functions_.end(), is_covered), functions_.end());
    return {};
  }

  Status add_uncovered(u64 begin, u64 end) {
    if (!budget_.spend(Cost::steps, functions_.size() / 4)) return fail(budget_.cause());
    const bool covered = std::ranges::any_of(
        functions_, [&](const Function& f) { return f.begin < end && begin < f.end; });
    if (covered || begin >= end || begin == 0) return {};
    functions_.push_back({begin, end, rows_.size(), 1});
    rows_.push_back({.pc = 0, .cfa = 1, .bp = WICK_UNWIND_BP_SAME, .rule = WICK_UNWIND_SP});
    return {};
  }

  // Where the tables say nothing of the entry, its file is not glibc's: musl's `__clone` may be
  // there too.
  void add_roots() {
    if (!has_entry(elf_)) return;
    const u64 entry = elf_.entry();
    u64 next = ~u64{0};
    for (const Function& function : functions_) {
      if (function.begin <= entry && entry < function.end) return;
      if (function.begin > entry) next = std::min(next, function.begin);
    }
    if (const auto code = entry_code(elf_, next)) add_root(*code);
    if (const auto call = thread_start_call(elf_)) {
      for (std::size_t i = 0; i < functions_.size(); i++) split_at(i, *call);
      add_root(*call);
    }
  }

  void make_root(Function& function) {
    function.first_row = rows_.size();
    function.row_count = 1;
    rows_.push_back({.pc = 0, .cfa = 0, .bp = 0, .rule = WICK_UNWIND_END});
  }

  void add_root(const CodeRange& code) {
    Function root{code.begin, code.end, 0, 0};
    make_root(root);
    functions_.push_back(root);
  }

  // What is behind a hole in a function goes on by the function's own rules.
  void split_at(std::size_t index, const CodeRange& hole) {
    const Function whole = functions_[index];
    if (whole.begin >= hole.end || whole.end <= hole.end || whole.begin > hole.begin) return;
    functions_[index].end = hole.begin;
    Function rest{hole.end, whole.end, rows_.size(), 0};
    wick_unwind_row row{};
    for (std::size_t at = 0; at < whole.row_count; at++) {
      const wick_unwind_row& next = rows_[whole.first_row + at];
      if (whole.begin + next.pc > hole.end) break;
      row = next;
    }
    row.pc = 0;
    rows_.push_back(row);
    for (std::size_t at = 0; at < whole.row_count; at++) {
      wick_unwind_row next = rows_[whole.first_row + at];
      if (whole.begin + next.pc <= hole.end) continue;
      next.pc = static_cast<u32>(whole.begin + next.pc - hole.end);
      rows_.push_back(next);
    }
    rest.row_count = rows_.size() - rest.first_row;
    functions_.push_back(rest);
  }

  Status read_functions() {
    ByteReader in{section_.bytes};
    while (!in.done()) {
      const u64 start = in.position();
      u64 length = in.fixed<u32>();
      const bool wide = length == 0xFFFFFFFF;
      if (wide) length = in.fixed<u64>();
      if (length == 0 && !section_.debug_frame) break;  // the end, by agreement
      ByteReader record = in.take(length);
      // The section was cut, or lies about itself: what came before is good.
      if (!in.ok()) break;
      TRY(read_record(record, start, wide));
    }
    return {};
  }

  Status read_record(ByteReader& record, u64 start, bool wide) {
    const u64 id_at = record.position();
    const bool wide_id = wide && section_.debug_frame;
    const u64 id = wide_id ? record.fixed<u64>() : record.fixed<u32>();
    const u64 cie_mark = !section_.debug_frame ? 0 : (wide_id ? ~u64{0} : 0xFFFFFFFF);
    if (!record.ok()) return {};
    // Each is parsed again where FDEs name it by many offsets, so it is paid for each time.
    if (id == cie_mark) {
      TRY(pay_for_cie(record.rest().size()));
      cies_.insert_or_assign(start, parse_cie(record, section_));
      return {};
    }
    const Cie* cie = cie_at(section_.debug_frame ? id : id_at - id);
    if (cie == nullptr || !cie->valid) {
      skipped_++;
      return {};
    }
    return read_function(record, *cie);
  }

  Status pay_for_cie(u64 size) {
    const bool paid = budget_.spend(Cost::steps, size) && budget_.spend(Cost::memory, kCieBytes);
    return paid ? Status{} : fail(budget_.cause());
  }

  // Usually the one before; in .debug_frame it may come later.
  const Cie* cie_at(u64 offset) {
    if (const auto found = cies_.find(offset); found != cies_.end()) return &found->second;
    if (!section_.debug_frame || offset >= section_.bytes.size()) return nullptr;
    ByteReader in{section_.bytes.subspan(offset), offset};
    u64 length = in.fixed<u32>();
    const bool wide = length == 0xFFFFFFFF;
    if (wide) length = in.fixed<u64>();
    ByteReader record = in.take(length);
    const bool is_cie = wide ? record.fixed<u64>() == ~u64{0} : record.fixed<u32>() == 0xFFFFFFFF;
    if (!is_cie || !in.ok()) return nullptr;
    if (!pay_for_cie(record.rest().size())) return nullptr;
    return &cies_.insert_or_assign(offset, parse_cie(record, section_)).first->second;
  }

  Status read_function(ByteReader& record, const Cie& cie) {
    const u8 encoding = cie.pointer_encoding;
    record.skip(cie.segment_size);
    const auto begin = read_pointer(record, encoding, section_.address);
    const auto size = begin ? read_pointer(record, encoding & 0x0F, 0) : std::nullopt;
    if (cie.has_augmentation) record.take(record.uleb());
    // A function at 0 was dropped by the linker.
    if (!size || *size == 0 || *begin == 0 || *begin + *size < *begin || !record.ok()) {
      skipped_++;
      return {};
    }
    Function function{*begin, *begin + *size, rows_.size(), 0};
    const bool whole = machine_.run(record, cie, function.begin, function.end, section_.address,
                                    [&](u64 pc, const CfiState& state) {
                                      wick_unwind_row row = row_of(state, cie.is_signal);
                                      if (pc - function.begin > 0xFFFFFFFF) return true;
                                      row.pc = static_cast<u32>(pc - function.begin);
                                      return add_row(function, row);
                                    });
    if (!budget_.ok()) return fail(budget_.cause());
    if (!whole) {
      skipped_++;
      if (rows_.size() == function.first_row) return {};
    }
    function.row_count = rows_.size() - function.first_row;
    functions_.push_back(function);
    if (!budget_.spend(Cost::steps, record.rest().size())) return fail(budget_.cause());
    return pay_for_function();
  }

  Status pay_for_function() {
    const bool paid =
        budget_.spend(Cost::functions, 1) && budget_.spend(Cost::memory, kFunctionBytes);
    return paid ? Status{} : fail(budget_.cause());
  }

  // An advance that changes nothing is no row: a function may have millions.
  bool add_row(const Function& function, const wick_unwind_row& row) {
    if (rows_.size() > function.first_row) {
      const wick_unwind_row& last = rows_.back();
      if (last.cfa == row.cfa && last.bp == row.bp && last.rule == row.rule)
        return budget_.spend(Cost::steps, 1);
    }
    rows_.push_back(row);
    return budget_.spend(Cost::rows, 1) && budget_.spend(Cost::memory, kRowBytes);
  }

  // One run of rows over all functions. Where two overlap, the later one wins from its beginning.
  Status join(UnwindTable& table) {
    // The base is rounded down: what is in front of the first function is a gap too.
    append(table.rows, {.pc = 0, .cfa = 0, .bp = 0, .rule = WICK_UNWIND_GAP});
    table.rows.reserve(rows_.size() + functions_.size() / 4);
    for (std::size_t i = 0; i < functions_.size(); i++) {
      const Function& function = functions_[i];
      u64 end = function.end;
      if (i + 1 < functions_.size()) end = std::min(end, functions_[i + 1].begin);
      if (end == function.begin) continue;
      if (end - table.base > span_limit_)
        return fail("code spans more than a gigabyte, or than its file can hold");
      for (std::size_t at = 0; at < function.row_count; at++) {
        wick_unwind_row row = rows_[function.first_row + at];
        if (function.begin + row.pc >= end) break;
        row.pc = static_cast<u32>(function.begin + row.pc - table.base);
        // Nobody calls from a root's first byte, but some return to it (makecontext's does), and a
        // walk looks at the byte before that.
        if (at == 0 && row.rule == WICK_UNWIND_END && table.rows.back().rule == WICK_UNWIND_GAP &&
            table.rows.back().pc < row.pc)
          row.pc--;
        append(table.rows, row);
      }
      table.limit = end;
      table.functions++;
      table.code_bytes += end - function.begin;
      const bool touches = i + 1 < functions_.size() && functions_[i + 1].begin == end;
      if (!touches)
        append(
            table.rows,
            {.pc = static_cast<u32>(end - table.base), .cfa = 0, .bp = 0, .rule = WICK_UNWIND_GAP});
    }
    return {};
  }

  static void append(std::vector<wick_unwind_row>& rows, const wick_unwind_row& row) {
    if (!rows.empty()) {
      wick_unwind_row& last = rows.back();
      if (last.cfa == row.cfa && last.bp == row.bp && last.rule == row.rule) return;
      if (last.pc == row.pc) {
        last = row;
        return;
      }
    }
    rows.push_back(row);
  }

  Status index(UnwindTable& table) {
    const u64 count = ((table.limit - table.base) >> WICK_UNWIND_PAGE_BITS) + 2;
    if (!budget_.spend(Cost::memory, count * sizeof(u32))) return fail(budget_.cause());
    index_rows(table);
    return {};
  }

  CfiSection section_;
  const ElfFile& elf_;
  Budget& budget_;
  u64 span_limit_;
  CfiMachine machine_;
  std::unordered_map<u64, Cie> cies_;  // by offset; references stay good
  std::vector<Function> functions_;
  std::vector<wick_unwind_row> rows_;
  std::vector<std::pair<u64, u64>> stubs_;
  u64 skipped_ = 0;
};

}  // namespace

void index_rows(UnwindTable& table) {
  table.pages.resize(((table.limit - table.base) >> WICK_UNWIND_PAGE_BITS) + 2);
  std::size_t row = 0;
  for (std::size_t page = 0; page < table.pages.size(); page++) {
    while (row + 1 < table.rows.size() && table.rows[row + 1].pc <= page * kPageBytes) row++;
    table.pages[page] = static_cast<u32>(row);
  }
}

std::size_t UnwindTable::find(u64 pc) const {
  const u64 page = pc >> WICK_UNWIND_PAGE_BITS;
  const auto begin = rows.begin() + pages[page];
  const auto end = rows.begin() + pages[page + 1] + 1;
  const auto behind = std::upper_bound(
      begin, end, pc, [](u64 at, const wick_unwind_row& row) { return at < row.pc; });
  return static_cast<std::size_t>(behind - rows.begin()) - (behind == begin ? 0 : 1);
}

namespace {

// Stubs that jump without a push; where linkers give them no record of their own.
bool is_jump_table(const ElfSection& section) {
  return section.executable() && section.size < (u64{64} << 20);
}

constexpr std::string_view kDebugFrame = ".debug_frame";

// A section of call frame information, read; empty when the file has none.
struct FrameBytes {
  std::vector<std::byte> bytes;
  CfiSection section;
};
Result<FrameBytes> read_frames(const ElfFile& elf, std::string_view name) {
  const ElfSection* section = elf.section(name);
  FrameBytes out;
  if (section == nullptr || section->type == SHT_NOBITS || section->size == 0) return out;
  out.bytes = TRY_CTX(elf.read_section(*section), name);
  if (!elf.budget().spend(Cost::memory, out.bytes.size())) return fail(elf.budget().cause());
  out.section.bytes = out.bytes;
  out.section.debug_frame = name == kDebugFrame;
  out.section.address = out.section.debug_frame ? 0 : section->address;
  return out;
}

}  // namespace

Result<UnwindTable> build_unwind_table(const ElfFile& elf, const ElfFile* debug_file) {
  if (!elf.is_64() || !is_this_machine(elf.machine())) return UnwindTable{};
  Builder builder{elf};
  const bool is_go = GoTable::is_in(elf);
  const Budget::Turn turn{elf.budget()};
  if (is_go) {
    const GoTable table = TRY(GoTable::open(elf));
    TRY(make_go_rows(elf, table, std::bind_front(&Builder::add_function, &builder)));
  }
  const FrameBytes frames = TRY(read_frames(elf, ".eh_frame"));
  TRY(builder.read(frames.section));
  // What cannot be read of these takes nothing from the first. Go's own says less than its
  // .gopclntab.
  for (const ElfFile* file : {&elf, debug_file})
    if (file != nullptr && !is_go)
      if (const auto more = read_frames(*file, kDebugFrame)) TRY(builder.read(more->section));
  for (const std::string_view name : {".plt", ".plt.got", ".plt.sec", ".iplt"}) {
    const ElfSection* stubs = elf.only_section(name);
    if (stubs != nullptr && is_jump_table(*stubs))
      builder.add_stubs(stubs->address, stubs->address + stubs->size);
  }
  return builder.run();
}

bool is_mostly_covered(const ElfFile& elf, const UnwindTable& table) {
  u64 code = 0;
  for (const ElfSection& section : elf.sections())
    if (section.executable()) code += std::min(section.size, elf.bytes().size());
  return table.code_bytes >= code / 2;
}

}  // namespace wick
