// wick cachestat: how often pages are found in the page cache. bcc's options and text; counted by
// bpf/cachestat.bpf.c.
#include "proc/meminfo.h"
#include "tool/command/command.h"
#include "tool/files/cache_use.h"
#include "tool/run/hooks.h"
#include "tool/table/table_run.h"

#include "cachestat.skel.h"

namespace wick {
namespace {

enum : u8 { kBuffers = kAddedByWrites + 1, kCached };

struct CachestatOptions : TableOptions {
  CachestatOptions() { interval = 1; }
};

Result<int> run(Session& session, const CachestatOptions& options, const Trailing& /*unused*/) {
  CacheUse use;
  TableTool tool{.heading = "",
                 .layout = TableLayout::lines,
                 .by_number = true,
                 .counted = "page",
                 .columns = cache_columns()};
  tool.columns.push_back(percent_column<TableRow>("HITRATIO", "hit_ratio", 8, 2, read_hit_share));
  tool.columns.push_back(level_column("BUFFERS_MB", "buffers_mb", 12, kBuffers));
  tool.columns.push_back(level_column("CACHED_MB", "cached_mb", 10, kCached));
  tool.prepare = [&](std::vector<TableRow>& rows) -> Status {
    if (rows.empty()) rows.emplace_back();
    TRY(use.settle(rows));
    const CacheMemory memory = cache_memory();
    rows[0].amounts[kBuffers] = memory.buffers_mb;
    rows[0].amounts[kCached] = memory.cached_mb;
    return {};
  };
  return run_table<cachestat_bpf>(session, options, tool, [](cachestat_bpf&) {});
}

using O = CachestatOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::timestamp>('T', "timestamp", "the time in front of each line"),
};
constexpr auto kOptions =
    all_of(kOwnOptions, kTaskFilterOptions<O>, kHookOptions<O>, kTableOptions<O>);
constexpr std::array kExamples{
    Example{"wick cachestat 1 2", "two lines, a second apart"},
    Example{"wick cachestat -T --comm cat 1 1",
            "what processes of one name ask for, with the time"},
};

}  // namespace

extern constexpr Command cachestat_command = command<CachestatOptions, run>({
    .name = "cachestat",
    .group = "Files and cache",
    .summary = "how often pages are found in the page cache",
    .description =
        "Counts in pages of 4 KB. A miss is a page that was added to the page cache because a "
        "read, a page fault or their read-ahead wanted it; a hit is one that was asked for and "
        "was there. A page that read-ahead brings is a miss once, not a hit when it is read then. "
        "Dirties are clean pages made dirty; a page that a write adds is no miss. Since kernel "
        "6.12 tracepoints tell what is asked for; before, hooks on filemap_read, filemap_fault "
        "and filemap_map_pages. A fault asks for the pages around it that the kernel maps with it, "
        "16 at "
        "most; of a large folio more may be mapped than are counted as hits.",
    .options = kOptions,
    .positionals = kTopPositionals<O>,
    .examples = kExamples,
});

}  // namespace wick
