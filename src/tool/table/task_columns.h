// Columns of tables whose rows are tasks on CPUs: key.first is the PID, above bit 32 the TID;
// key.second the CPU.
#pragma once

#include <vector>

#include "tool/table/table_run.h"

namespace wick {

// PID, TID if it is by thread, NAME, CPU; behind them the tool's own.
[[nodiscard]] std::vector<TableColumn> task_cpu_columns(bool by_thread,
                                                        std::vector<TableColumn> own);

}  // namespace wick
