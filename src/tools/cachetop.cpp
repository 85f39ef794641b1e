// wick cachetop: who finds pages in the page cache. bcc's options and text; counted by
// bpf/cachetop.bpf.c.
#include <fmt/format.h>

#include "proc/meminfo.h"
#include "proc/users.h"
#include "tool/command/command.h"
#include "tool/files/cache_use.h"
#include "tool/run/hooks.h"
#include "tool/table/table_run.h"

#include "cachetop.skel.h"

namespace wick {
namespace {

struct CachetopOptions : LiveTableOptions {
  CachetopOptions() : LiveTableOptions(5) {}
};

std::vector<TableColumn> columns() {
  std::vector<TableColumn> out{
      number_column<TableRow>("PID", "pid", 8, [](const TableRow& row) { return row.key.first; }),
      text_column<TableRow>(
          "UID", "user", -8,
          [](const TableRow& row) { return user_name(static_cast<u32>(row.key.second)); }),
      text_column<TableRow>("CMD", "comm", -16, &TableRow::comm)};
  for (TableColumn& column : cache_columns()) out.push_back(std::move(column));
  out.push_back(percent_column<TableRow>("READ_HIT%", "read_hit_percent", 10, 1, read_hit_share));
  out.push_back(
      percent_column<TableRow>("WRITE_HIT%", "write_hit_percent", 10, 1, write_hit_share));
  return out;
}

std::string status(const TableOrder& order) {
  const CacheMemory memory = cache_memory();
  return fmt::format("Buffers MB: {} / Cached MB: {} / Sort: {} / Order: {}", memory.buffers_mb,
                     memory.cached_mb, order.title, order.ascending ? "ascending" : "descending");
}

Result<int> run(Session& session, const CachetopOptions& options, const Trailing& /*unused*/) {
  CacheUse use;
  const TableTool tool{.heading = "",
                       .layout = TableLayout::live,
                       .sort = "hits",
                       .ascending = true,
                       .counted = "page",
                       .columns = columns(),
                       .prepare = [&](std::vector<TableRow>& rows) { return use.settle(rows); },
                       .ordered_status = status};
  return run_table<cachetop_bpf>(session, options, tool,
                                 [](cachetop_bpf& bpf) { bpf.rodata->by_process = true; });
}

using O = CachetopOptions;
constexpr auto kOptions =
    all_of(kTaskFilterOptions<O>, kHookOptions<O>, kLiveTableOptions<O>, kTableOptions<O>);
constexpr std::array kExamples{
    Example{"wick cachetop 1 2", "two tables, a second apart"},
    Example{"wick cachetop -C -r 5 --json 1 1", "the five processes with the most hits, as JSON"},
};

}  // namespace

extern constexpr Command cachetop_command = command<CachetopOptions, run>({
    .name = "cachetop",
    .group = "Files and cache",
    .summary = "who finds pages in the page cache",
    .description =
        "The hits, misses and dirties of `wick cachestat`, by process. READ_HIT% is the hits among "
        "all pages asked for; WRITE_HIT% the part of the pages made dirty that was in the cache "
        "before.",
    .options = kOptions,
    .positionals = kTopPositionals<O>,
    .examples = kExamples,
});

}  // namespace wick
