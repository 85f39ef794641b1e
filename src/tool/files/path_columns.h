// Columns of tables and events that show the paths of bpf/lib/paths.bpf.h.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "tool/paths/path_names.h"
#include "tool/table/columns.h"

namespace wick {

// Of the file behind the id that `id(row)` gives: its last name; its path, in JSON and CSV only
// where there is no title.
template <class Row, class F>
[[nodiscard]] ColumnOf<Row> file_column(std::string title, PathNames& names, F id) {
  return exact_column<Row>(std::move(title), "file", [&names, id](const Row& row) {
    return names.of(std::invoke(id, row)).base;
  });
}
template <class Row, class F>
[[nodiscard]] ColumnOf<Row> path_column(std::string title, PathNames& names, F id) {
  return exact_column<Row>(std::move(title), "path", [&names, id](const Row& row) {
    return names.of(std::invoke(id, row)).path;
  });
}

}  // namespace wick
