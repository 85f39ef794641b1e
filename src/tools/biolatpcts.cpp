// wick biolatpcts: percentiles of a disk's latencies. bcc's options and text.
#include <fmt/format.h>

#include "proc/disks.h"
#include "tool/command/choice.h"
#include "tool/command/command.h"
#include "tool/files/block_requests.h"
#include "tool/histogram/histogram_run.h"
#include "tool/histogram/latency_percentiles.h"

#include "biolatpcts.skel.h"

namespace wick {
namespace {

struct BiolatpctsOptions : HistogramOptions {
  BiolatpctsOptions() { interval = 3; }
  std::string disk;
  std::string which = "on-device";
  std::string percentiles = "1,5,10,16,25,50,75,84,90,95,99,100";
};

Result<int> run(Session& session, const BiolatpctsOptions& options, const Trailing& /*unused*/) {
  const u32 disk = TRY(disk_number(options.disk));
  const std::string name = disk_name(disk);
  const auto percentiles = TRY(parse_percentiles(options.percentiles));
  const std::size_t since =  // in the order of enum wick_block_since
      TRY(choice("-w", options.which, {"from-rq-alloc", "after-rq-alloc", "on-device"}));
  const biolatpcts_bpf* programs = nullptr;
  HistogramTool tool{.heading = "", .counted = "request", .most_keys = WICK_BLOCK_KINDS};
  tool.labels = [](const KeyedHistogram& one) {
    return HistogramLabels{{.name = "type", .text = std::string(kind_name(one.key.first))}};
  };
  tool.told = [&](const auto& kinds, const Interval& interval) -> Result<std::string> {
    if (kinds.empty() && programs->bss->without_start != 0)
      return fail(fmt::format("the requests of {} do not say when they began", name),
                  since == WICK_SINCE_ALLOCATED
                      ? "the kernel notes it only for disks with iocost; try -w after-rq-alloc"
                      : "its queue/iostats in sysfs is off; try -w on-device");
    return options.json ? percentile_json(percentiles, kinds, interval)
                        : percentile_rows(name, percentiles, kinds);
  };
  return run_histogram<biolatpcts_bpf>(session, options, tool, [&](auto& bpf, BpfObject& object) {
    programs = &bpf;
    bpf.rodata->since = static_cast<u32>(since);
    return track_requests(object, {.disk = disk});
  });
}

using O = BiolatpctsOptions;
constexpr std::array kOptions{
    value<O, &O::interval>('i', "interval", "SECONDS", "print this often (default 3)"),
    value<O, &O::which>('w', "which", "FROM", "from-rq-alloc, after-rq-alloc, on-device (default)"),
    value<O, &O::percentiles>('p', "pcts", "LIST", "which percentiles, as 50,99.9,100"),
    flag<O, &O::json>('j', "json", "a JSON object a line for each interval, in seconds"),
    value<O, &O::count>('n', "count", "N", "end after so many outputs"),
    flag<O, &O::stats>(0, "stats", "say what the run cost"),
    kMetricsOption<O>,
    kMetricsTokenOption<O>,
};
constexpr std::array kPositionals{needed<O, &O::disk>("DEV", "/dev/NAME, NAME or MAJOR:MINOR")};
constexpr std::array kExamples{
    Example{"wick biolatpcts -i 1 -n 1 nvme0n1", "a second of a disk"},
    Example{"wick biolatpcts -j -p 50,99,100 -i 1 -n 1 nvme0n1", "three percentiles, as JSON"},
};

}  // namespace

extern constexpr Command biolatpcts_command = command<BiolatpctsOptions, run>(
    {.name = "biolatpcts",
     .group = "Block I/O",
     .summary = "percentiles of how long a disk's requests take",
     .description = "Prints every interval how long reads, writes, discards and flushes of a disk "
                    "took: from when they are given to it, or (-w) from when the kernel made them "
                    "(after-rq-alloc) or began to look for room for them (from-rq-alloc).",
     .options = kOptions,
     .positionals = kPositionals,
     .examples = kExamples});

}  // namespace wick
