// The part of the worker that makes an unwind table of a file.
#include <elf.h>

#include "object/go_table.h"
#include "runtime/runtime_watch.h"
#include "symbols/debug_file.h"
#include "symbols/vdso.h"
#include "worker/file_work.h"

namespace wick {
namespace {

// Debug files of tables are those of the distribution: they are looked for by build id alone.
ProcessRoot root_of_tables(WorkHost& host) {
  ProcessRoot root;
  root.host = &host;
  return root;
}

void make_table(const ElfFile& elf, WorkHost& host, TableAnswer& out) {
  auto table = build_unwind_table(elf);
  if (table && !is_mostly_covered(elf, *table))
    if (const auto debug_file = find_debug_file(elf, root_of_tables(host), ""))
      table = build_unwind_table(elf, debug_file.get());
  if (table && !table->empty()) {
    out.kind = TableKind::rows;
    out.table = *std::move(table);
    return;
  }
  // A layout of Go's that is not known: its frame pointers are good, but for the leaf's caller.
  if (!GoTable::is_in(elf)) return;
  out.kind = TableKind::by_pointer;
  if (!table) elf.budget().complain(table.error().message + ": Go code goes by frame pointers");
}

TableAnswer read_vdso_table(WorkHost& host) {
  TableAnswer out;
  const auto vdso = own_vdso();
  if (!vdso) return out;
  for (const ElfSegment& segment : vdso->segments())
    if (segment.type == PT_LOAD && (segment.flags & PF_X) != 0) out.code.push_back(segment);
  make_table(*vdso, host, out);
  return out;
}

}  // namespace

TableAnswer read_table(Fd file, const DigestSecret& secret, WorkHost& host,
                       const BudgetTerms& terms) {
  if (!file.valid()) return read_vdso_table(host);
  TableAnswer out;
  const auto budget = Budget::for_file(file, terms);
  const auto elf = ElfFile::open(std::move(file), budget);
  if (!elf) return out;
  {
    const Budget::Turn turn{*budget};
    out.identity = table_identity(*elf, secret);
    for (const ElfSegment& segment : elf->segments())
      if (segment.type == PT_LOAD && (segment.flags & PF_X) != 0) out.code.push_back(segment);
    out.runtime = find_runtime(*elf);
    if (!out.identity.empty() && host.is_known(out.identity))
      out.kind = TableKind::known;
    else
      make_table(*elf, host, out);
  }
  out.spent = budget->report();
  return out;
}

}  // namespace wick
