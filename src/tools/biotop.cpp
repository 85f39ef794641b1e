// wick biotop: who uses the disks. bcc's options and text; counted by bpf/biotop.bpf.c.
#include <fmt/format.h>

#include "proc/disks.h"
#include "tool/command/choice.h"
#include "tool/command/command.h"
#include "tool/files/block_requests.h"
#include "tool/table/table_run.h"

#include "biotop.skel.h"

namespace wick {
namespace {

struct BiotopOptions : LiveTableOptions {
  std::string sort = "all";
};

Columns<TableRow> columns(DiskNames& disks) {
  const auto device = [](const TableRow& row) { return static_cast<u32>(row.key.second); };
  const auto kind = [](const TableRow& row) { return kind_letter(row.key.second >> 32U); };
  const auto major = [=](const TableRow& row) { return disk_major(device(row)); };
  const auto minor = [=](const TableRow& row) { return disk_minor(device(row)); };
  const auto disk = [=, &disks](const TableRow& row) { return disks.of(device(row)); };
  const auto average_ms = [](const TableRow& row) {
    return static_cast<double>(row.amounts[2]) / 1e6 / static_cast<double>(row.amounts[0]);
  };
  const std::vector<TableColumn> process = process_columns();
  return {process[0],
          process[1],
          text_column<TableRow>("D", "type", -1, kind),
          number_column<TableRow>("MAJ", "major", -3, major),
          number_column<TableRow>("MIN", "minor", -3, minor),
          text_column<TableRow>("DISK", "disk", -8, disk),
          amount_column("I/O", "io", 5, 0),
          kbytes_column("Kbytes", "kbytes", 7, 1),
          decimal_column<TableRow>("AVGms", "avg_ms", 6, 2, average_ms)};
}

Result<int> run(Session& session, const BiotopOptions& options, const Trailing& /*unused*/) {
  const std::size_t order = TRY(choice("-s", options.sort, {"io", "bytes", "time", "all"}));
  const std::size_t amount = order == 3 ? 1 : order;  // bcc's "all" is by bytes
  DiskNames disks;
  const TableTool tool{
      .heading = fmt::format("Tracing... Output every {} secs. Hit Ctrl-C to end\n",
                             options.interval.value_or(1)),
      .layout = TableLayout::live,
      .rank = [=](const TableRow& row) { return static_cast<double>(row.amounts[amount]); },
      .counted = "request",
      .columns = columns(disks)};
  return run_table<biotop_bpf>(session, options, tool, [](biotop_bpf&, BpfObject& object) {
    return track_requests(object, {.owners = true});
  });
}

using O = BiotopOptions;
constexpr std::array kOwnOptions{
    value<O, &O::sort>('s', "sort", "ORDER", "by all (which is bytes), io, bytes or time"),
};
constexpr auto kOptions =
    all_of(kOwnOptions, kLiveTableOptions<O>, kTaskFilterOptions<O>, kTableOptions<O>);
constexpr std::array kExamples{
    Example{"wick biotop -C 1 2", "two seconds, one below the other"},
    Example{"wick biotop -C -s time -r 5 1 1", "the five that wait most for disks"},
};

}  // namespace

extern constexpr Command biotop_command = command<BiotopOptions, run>(
    {.name = "biotop",
     .group = "Block I/O",
     .summary = "who uses the disks",
     .description = "Shows every interval which processes made requests to which disk, how many, "
                    "how much, and how long the device took on average.",
     .options = kOptions,
     .positionals = kTopPositionals<O>,
     .examples = kExamples});

}  // namespace wick
