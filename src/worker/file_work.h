// What the confined worker does with one file: plain functions that parse it, and the answers they
// give. They run in the worker, or in Wick itself where it cannot confine one; whoever calls gives
// a WorkHost, which opens what else is needed. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/fd.h"
#include "proc/file_host.h"
#include "runtime/runtime.h"
#include "unwind/unwind_table.h"
#include "worker/table_identity.h"

namespace wick {

class WorkHost : public FileHost {
 public:
  // Whether there is a table for files of this identity already.
  [[nodiscard]] virtual bool is_known(const std::string& identity) = 0;
};

enum class TableKind : u8 {
  rows,
  by_pointer,  // Go: its frame pointers are good, its tables are not
  none,        // no call frame information, or it cannot be read
  known,       // WorkHost::is_known said so; there are no rows
  last = known,
};

struct TableAnswer {
  TableKind kind = TableKind::none;
  UnwindTable table;
  std::vector<ElfSegment> code;                // executable ones, loaded
  std::string identity;                        // table_identity(); empty: nobody shares its table
  std::shared_ptr<const RuntimeFile> runtime;  // the interpreter in it; most have none
  BudgetReport spent;
};

// `file` invalid: the vdso of this process, which is everybody's.
[[nodiscard]] TableAnswer read_table(Fd file, const DigestSecret& secret, WorkHost& host,
                                     const BudgetTerms& terms);

}  // namespace wick
