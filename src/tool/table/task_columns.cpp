#include "tool/table/task_columns.h"

#include <utility>

namespace wick {

std::vector<TableColumn> task_cpu_columns(bool by_thread, std::vector<TableColumn> own) {
  std::vector<TableColumn> out{number_column<TableRow>(
      "PID", "pid", -8, [](const TableRow& row) { return static_cast<u32>(row.key.first); })};
  if (by_thread)
    out.push_back(number_column<TableRow>(
        "TID", "tid", -8, [](const TableRow& row) { return row.key.first >> 32U; }));
  out.push_back(text_column<TableRow>("NAME", "name", -16, &TableRow::comm));
  out.push_back(number_column<TableRow>("CPU", "cpu", -4,
                                        [](const TableRow& row) { return row.key.second; }));
  for (TableColumn& column : own) out.push_back(std::move(column));
  return out;
}

}  // namespace wick
