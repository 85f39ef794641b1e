// ReportTree: a profile as the HTML report reads it: one tree of calls, and who took part in it.
//
//   functions  0 main  1 read  2 sh(task)         sorted by name, so a number compares as its name
//   nodes      sh ─ main ─ read                   depth first, children by name
//                  └ run                           up: levels to climb from the node before (0: a
//                  child)
//   rows       node, task, labels, values         one for each node, task and labels that have
//   values moments    time since the one before, row     where the profile tells when
//
// The page sums rows into nodes for whatever processes, threads and times a person picks.
#pragma once

#include <array>
#include <vector>

#include "profile/profile.h"
#include "views/column.h"

namespace wick {

struct ReportTree {
  std::vector<StringId> strings;    // in use; columns of texts are indices into it
  std::vector<std::string> labels;  // "request=7, cpu=1"; the first is empty
  std::vector<Column> columns;
  u64 nodes = 0;
  u64 negative_values = 0;  // counted as 0: a width cannot be negative
};

[[nodiscard]] ReportTree build_report_tree(const Profile& profile);

}  // namespace wick
