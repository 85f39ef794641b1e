#include "tool/files/file_table.h"

#include <fmt/format.h>

#include <map>

#include "bpf/abi/file_io.h"
#include "tool/files/path_columns.h"

namespace wick {
namespace {

double sum_of(const TableRow& row, const std::vector<std::size_t>& amounts) {
  double out = 0;
  for (const std::size_t amount : amounts) out += static_cast<double>(row.amounts[amount]);
  return out;
}

Result<std::vector<std::size_t>> ranked_by(const std::string& sort) {
  if (sort == "reads") return std::vector<std::size_t>{WICK_FILE_READS};
  if (sort == "writes") return std::vector<std::size_t>{WICK_FILE_WRITES};
  if (sort == "rbytes") return std::vector<std::size_t>{WICK_FILE_READ_BYTES};
  if (sort == "wbytes") return std::vector<std::size_t>{WICK_FILE_WRITE_BYTES};
  if (sort == "all")
    return std::vector<std::size_t>{WICK_FILE_READS, WICK_FILE_WRITES, WICK_FILE_READ_BYTES,
                                    WICK_FILE_WRITE_BYTES};
  return fail_usage(fmt::format("--sort {}: no such column", printable(sort)),
                    "give all, reads, writes, rbytes or wbytes");
}

}  // namespace

Result<TableTool> file_table(const FileTableOptions& options, PathNames& names) {
  TRY(table_plan(options));
  const std::vector<std::size_t> rank = TRY(ranked_by(options.sort));
  return TableTool{.heading = fmt::format("Tracing... Output every {:g} secs. Hit Ctrl-C to end\n",
                                          options.interval.value_or(1)),
                   .layout = TableLayout::live,
                   .rank = [rank](const TableRow& row) { return sum_of(row, rank); },
                   .counted = "call",
                   .columns = {amount_column("READS", "reads", -6, WICK_FILE_READS),
                               amount_column("WRITES", "writes", -6, WICK_FILE_WRITES),
                               kbytes_column("R_Kb", "read_kb", -7, WICK_FILE_READ_BYTES),
                               kbytes_column("W_Kb", "write_kb", -7, WICK_FILE_WRITE_BYTES),
                               amount_column("", "read_bytes", 0, WICK_FILE_READ_BYTES),
                               amount_column("", "write_bytes", 0, WICK_FILE_WRITE_BYTES)},
                   .names = &names};
}

std::vector<TableColumn> file_columns(PathNames& names, bool full_path) {
  const auto id = [](const TableRow& row) { return row.key.second; };
  return {text_column<TableRow>("T", "type", 1,
                                [&names, id](const TableRow& row) {
                                  return std::string(1, names.of(id(row)).type_letter());
                                }),
          file_column<TableRow>(full_path ? "" : "FILE", names, id),
          path_column<TableRow>(full_path ? "FILE" : "", names, id)};
}

std::vector<TableRow> rows_by_directory(const std::vector<TableRow>& rows,
                                        const DirectoryPatterns& directories, PathNames& names) {
  std::map<std::string, TableRow> joined;
  for (const TableRow& row : rows)
    for (const std::string& directory : directories.above(names.of(row.key.second).rooted_path())) {
      TableRow& sum = joined[directory];
      for (std::size_t i = 0; i < sum.amounts.size(); i++) sum.amounts[i] += row.amounts[i];
    }
  std::vector<TableRow> out;
  for (auto& [directory, row] : joined) {
    row.name = directory;
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace wick
