// LiveTable: a table that is redrawn in place, and the keys that steer it, as in top(1): q ends, r
// reverses, < and > sort by another column, space freezes, ? tells of them. One thread.
//
//   LiveTable live{session, tool, options, waiter};       // keys are heard while it lives
//   TRY(live.show(rows));                                 // each interval
//   TRY(live.heed_keys());                                // when the waiter wakes
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "tool/command/session.h"
#include "tool/run/waiter.h"
#include "tool/table/table_run.h"

namespace wick {

// `lines` (each with its newline) over what is on the screen: from its top, cut to its size,
// nothing left of what stood there. The cursor ends below them.
[[nodiscard]] std::string screen_text(const std::vector<std::string>& lines, u32 columns, u32 rows);

class LiveTable {
 public:
  LiveTable(Session& session, TableTool tool, TableOptions options, Waiter& waiter);
  LiveTable(const LiveTable&) = delete;
  LiveTable& operator=(const LiveTable&) = delete;
  ~LiveTable();

  // On a terminal, unless a person wants it otherwise.
  [[nodiscard]] static bool is_wanted(const Session& session, const TableTool& tool,
                                      const TableOptions& options);
  [[nodiscard]] Status show(std::vector<TableRow> rows);
  [[nodiscard]] Status heed_keys();

 private:
  // False when the table looks the same after it.
  [[nodiscard]] bool heed(char key);
  void sort_by_neighbour(int step);
  [[nodiscard]] Status draw();

  Session& session_;
  TableTool tool_;  // with the order a person chose
  TableOptions options_;
  const Waiter& waiter_;
  std::vector<TableRow> rows_;
  std::string time_;  // of the rows; empty while there are none
  bool frozen_ = false;
  bool tells_keys_ = false;
};

}  // namespace wick
