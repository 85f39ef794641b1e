// A table in sections, as netqtop has it: the date, then for each section its name, the columns'
// names, its rows and a row of their sums.
//
//   Thu Sep 10 11:28:39 2020
//   TX
//    QueueID    avg_size   [0, 64)
//    0          88         0
//    Total      88         0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tool/table/table_run.h"

namespace wick {

// "Thu Sep 10 11:28:39 2020", as asctime(3) writes it.
[[nodiscard]] std::string date_text();
[[nodiscard]] TableRow sum_of(const std::vector<TableRow>& rows);
// In front of the others: the section (in JSON and CSV only), and what tells its rows apart
// (key.second), or "Total".
[[nodiscard]] std::vector<TableColumn> section_columns(std::string json_section,
                                                       std::vector<std::string> sections,
                                                       std::string title, std::string json_name);
// For TableTool::prepare: of each section as many rows as given, from 0 on, also where nothing was
// added to them.
[[nodiscard]] std::function<Status(std::vector<TableRow>&)> with_rows(std::vector<u32> counts);
[[nodiscard]] std::string sections_text(const std::vector<TableRow>& rows, const TableTool& tool);

}  // namespace wick
