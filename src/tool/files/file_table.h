// What filetop and dirtop share: tables of reads and writes of files, by bpf/filetop.bpf.c.
#pragma once

#include <string>
#include <vector>

#include "tool/files/directory_patterns.h"
#include "tool/paths/path_names.h"
#include "tool/table/table_run.h"

namespace wick {

struct FileTableOptions : TableOptions {
  FileTableOptions() {
    top = 20;
    interval = 1;
  }
  std::string sort = "all";
  std::vector<std::string> directories;
};

// A live table with the columns of reads and writes and nothing else yet.
[[nodiscard]] Result<TableTool> file_table(const FileTableOptions& options, PathNames& names);
// T, FILE and, in JSON, the path; of rows whose key.second is a path.
[[nodiscard]] std::vector<TableColumn> file_columns(PathNames& names, bool full_path);

// Those below one of the directories, joined and named by it.
[[nodiscard]] std::vector<TableRow> rows_by_directory(const std::vector<TableRow>& rows,
                                                      const DirectoryPatterns& directories,
                                                      PathNames& names);

template <class O>
inline constexpr std::array kFileTableOptions{
    value<O, &O::sort>('s', "sort", "COLUMN",
                       "by reads, writes, rbytes, wbytes or all of them (default all)"),
};

}  // namespace wick
