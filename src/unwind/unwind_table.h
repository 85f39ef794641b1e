// UnwindTable: how to get from any address of one file to its caller, in 8 bytes a row. Made from
// .eh_frame, from .debug_frame for functions that it does not cover, and from .gopclntab for the Go
// functions of a file; loaded into the kernel as it is.
//
//   const UnwindTable table = TRY(build_unwind_table(elf));
//   const wick_unwind_row& row = table.rows[table.find(pc - table.base)];
//
// Any thread may read one. The file may be hostile: memory and time are spent from its Budget, and
// what overlaps is cut.
#pragma once

#include <vector>

#include "base/result.h"
#include "bpf/abi/unwind.h"
#include "object/elf_file.h"

namespace wick {

struct UnwindTable {
  u64 base = 0;                       // the object's own address of row pc 0; a multiple of 256
  u64 limit = 0;                      // behind the last function
  std::vector<wick_unwind_row> rows;  // by pc; the last one is a GAP at limit
  std::vector<u32> pages;             // for each 256 bytes: the row that holds at their beginning

  u64 functions = 0;
  u64 code_bytes = 0;  // in them
  u64 skipped = 0;     // functions with an encoding nobody knows

  [[nodiscard]] bool empty() const { return rows.empty(); }
  [[nodiscard]] bool contains(u64 vaddr) const { return vaddr >= base && vaddr < limit; }
  // The row for `pc` bytes from the base, which must be within the table.
  [[nodiscard]] std::size_t find(u64 pc) const;
  [[nodiscard]] u64 bytes() const {
    return rows.size() * sizeof(wick_unwind_row) + pages.size() * sizeof(u32);
  }
};

// An empty table when the file has no call frame information; an error when it cannot be read or is
// too large. `debug_file`: what was stripped from the file, for its .debug_frame.
[[nodiscard]] Result<UnwindTable> build_unwind_table(const ElfFile& elf,
                                                     const ElfFile* debug_file = nullptr);

// Makes `pages` of the rows, which are sorted and within the limit.
void index_rows(UnwindTable& table);

// Whether the table covers at least half of the file's code. Where it does not (musl's libc has
// call frame information in its debug file only), that file is worth looking for.
[[nodiscard]] bool is_mostly_covered(const ElfFile& elf, const UnwindTable& table);

}  // namespace wick
