// Prints a file's unwind table, for tests/native/unwind.sh: unwind_rows FILE
//
//   ADDRESS CFA BP        401000 rsp+8 u        as `readelf -wF` names them
#include <fmt/format.h>

#include <cstdio>

#include "base/clock.h"
#include "unwind/unwind_table.h"

namespace wick {
namespace {

std::string cfa_text(const wick_unwind_row& row) {
  switch (row.rule) {
    case WICK_UNWIND_SP:
      return fmt::format("rsp+{}", u64{static_cast<u16>(row.cfa)} * 8);
    case WICK_UNWIND_BP:
      return fmt::format("rbp+{}", row.cfa * 8);
    case WICK_UNWIND_END:
      return "end";
    case WICK_UNWIND_GAP:
      return "gap";
    case WICK_UNWIND_UNSUPPORTED:
      return "unsupported";
    default:
      return "exp";
  }
}

std::string bp_text(const wick_unwind_row& row) {
  if (row.bp == WICK_UNWIND_BP_SAME) return "u";
  if (row.bp == WICK_UNWIND_BP_AT_BP || row.bp == WICK_UNWIND_BP_LOST) return "exp";
  return fmt::format("c{:+}", row.bp * 8);
}

int print(const char* path) {
  auto fd = Fd::open(path, O_RDONLY);
  if (!fd) return 1;
  const auto elf = ElfFile::open(std::move(*fd));
  if (!elf) return 1;
  const u64 before = monotonic_ns();
  const auto table = build_unwind_table(*elf);
  const u64 took = monotonic_ns() - before;
  if (!table) {
    fmt::print(stderr, "{}\n", table.error().text());
    return 1;
  }
  for (const wick_unwind_row& row : table->rows)
    fmt::print("{:016x} {} {}\n", table->base + row.pc, cfa_text(row), bp_text(row));
  fmt::print(stderr, "{} rows of {} functions, {} skipped, {} bytes, {:.1f} ms\n",
             table->rows.size(), table->functions, table->skipped, table->bytes(),
             static_cast<double>(took) / 1e6);
  return 0;
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  return argc == 2 ? wick::print(argv[1]) : 2;
}
