// GoTable: what the Go linker writes about the functions of a file (.gopclntab): where they begin,
// their names, and small tables by pc: the stack pointer's distance from the caller, file, line,
// inlined calls. A stripped program has it too. Used by unwind/go_rows and symbols/go_symbols.
//
//   header ─► functab: { entry, record } sorted by entry     names, files: NUL-terminated
//               record ─► name, pcsp, pcfile, pcln, pcdata[], funcdata[]
//                           each an offset into pctab: pairs of varints (value step, pc step)
//   moduledata (in .go.module or .noptrdata) ─► where text begins, go:func.* (inline trees)
//
// Layouts: 0xfffffff0 (Go 1.18, 1.19) and 0xfffffff1 (since 1.20). Others are refused with a
// sentence. The bytes belong to somebody else: every offset is checked, and every step along a
// table is spent from the file's Budget. One thread at a time.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "base/result.h"
#include "object/elf_file.h"

namespace wick {

struct GoFunction {
  u64 begin = 0;
  u64 end = 0;  // where the next one begins
  u32 name = 0;
  u32 pcsp = 0;
  u32 pcfile = 0;
  u32 pcln = 0;
  u32 unit = 0;  // of the table of files
  u32 pcdata_count = 0;
  u32 funcdata_count = 0;
  u64 pcdata = 0;  // where in the section the offsets stand
  u8 flags = 0;

  enum : u8 { kTopFrame = 1, kWritesSp = 2 };
};

// A call that the compiler replaced by the function's body.
struct GoInlinedCall {
  u32 name = 0;
  u64 caller_pc = 0;  // an address of the place of the call
};

class GoTable {
 public:
  // Does a Go linker's table stand in the file at all?
  [[nodiscard]] static bool is_in(const ElfFile& elf);
  [[nodiscard]] static Result<GoTable> open(const ElfFile& elf);

  [[nodiscard]] std::size_t size() const { return function_count_; }
  [[nodiscard]] u64 bytes() const { return bytes_.size(); }
  // nothing: the record makes no sense.
  [[nodiscard]] std::optional<GoFunction> function(std::size_t index) const;
  [[nodiscard]] std::optional<GoFunction> find(u64 vaddr) const;
  [[nodiscard]] std::string_view name(u32 offset) const;
  // As the compiler wrote it, often relative to a module.
  [[nodiscard]] std::string_view file(const GoFunction& function, i32 index) const;

  // Calls visit(begin, end, value) for each range of a table, in order; stops when that is false.
  template <class Visit>
  void for_each_value(u32 table, const GoFunction& function, Visit visit) const;
  [[nodiscard]] std::optional<i32> value_at(u32 table, const GoFunction& function, u64 pc) const;
  // The innermost inlined call that the code at `pc` is of; nothing: the function's own.
  [[nodiscard]] std::optional<GoInlinedCall> inlined_at(const GoFunction& function, u64 pc) const;

 private:
  GoTable(const ElfFile& elf, std::vector<std::byte> bytes, u64 address)
      : elf_(&elf), bytes_(std::move(bytes)), address_(address) {}

  [[nodiscard]] Status read_header();
  void read_module();
  [[nodiscard]] bool take_module(std::span<const u64> module);
  [[nodiscard]] u32 word(u64 offset) const;
  [[nodiscard]] std::string_view text_at(u64 offset) const;
  [[nodiscard]] ByteReader pc_table(u32 table) const;

  const ElfFile* elf_;  // for inline trees; must outlive this
  std::vector<std::byte> bytes_;
  u64 address_;
  bool newer_ = false;  // 0xfffffff1
  std::size_t function_count_ = 0;
  u64 text_ = 0;
  u64 names_ = 0;  // these four: offsets in the section
  u64 units_ = 0;
  u64 files_ = 0;
  u64 pctab_ = 0;
  u64 functab_ = 0;
  u64 funcdata_ = 0;  // address of go:func.*; 0: not found
};

template <class Visit>
void GoTable::for_each_value(u32 table, const GoFunction& function, Visit visit) const {
  if (table == 0) return;
  ByteReader in = pc_table(table);
  u64 pc = function.begin;
  i32 value = -1;
  for (bool first = true; pc < function.end; first = false) {
    const auto step = static_cast<u32>(in.uleb());
    if (!in.ok() || (step == 0 && !first)) return;
    const u32 change = (step & 1) != 0 ? ~(step >> 1) : step >> 1;
    value = static_cast<i32>(static_cast<u32>(value) + change);
    const u64 length = in.uleb();
    // One without bytes has no end: nobody's compiler writes it, twice it could go on for long.
    if (!in.ok() || length == 0 || length > function.end - function.begin) return;
    const u64 end = std::min(pc + length, function.end);
    if (!elf_->budget().spend(Cost::steps, 1)) return;
    if (!visit(pc, end, value)) return;
    pc = end;
  }
}

}  // namespace wick
