// wick biolatency: how long block I/O takes. bcc's options and text; counted by
// bpf/biolatency.bpf.c.
#include "proc/disks.h"
#include "tool/command/command.h"
#include "tool/files/block_requests.h"
#include "tool/histogram/histogram_run.h"

#include "biolatency.skel.h"

namespace wick {
namespace {

struct BiolatencyOptions : HistogramOptions {
  bool queued = false;
  bool by_disk = false;
  bool by_flags = false;
  std::optional<std::string> disk;
};

HistogramLabels labels(const BiolatencyOptions& options, HistogramKey key) {
  HistogramLabels out;
  if (options.by_disk)
    out.push_back({.name = "disk", .text = disk_name(static_cast<u32>(key.first))});
  if (options.by_flags) out.push_back({.name = "flags", .text = request_flags_text(key.second)});
  return out;
}

Result<int> run(Session& session, const BiolatencyOptions& options, const Trailing& /*unused*/) {
  const auto disk = TRY(chosen_disk(options.disk));
  HistogramTool tool{
      .heading = "Tracing block device I/O", .unit = options.time_unit(), .counted = "request"};
  if (options.by_disk || options.by_flags)
    tool.labels = [&](const KeyedHistogram& one) { return labels(options, one.key); };
  return run_histogram<biolatency_bpf>(
      session, options, tool, [&](biolatency_bpf& bpf, BpfObject& object) {
        bpf.rodata->include_queue = options.queued;
        bpf.rodata->by_disk = options.by_disk;
        bpf.rodata->by_flags = options.by_flags;
        return track_requests(object, {.queue = options.queued, .disk = disk});
      });
}

using O = BiolatencyOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::queued>('Q', "queued", "count the time in the kernel's queue too"),
    flag<O, &O::by_disk>('D', "disks", "a histogram for each disk"),
    flag<O, &O::by_flags>('F', "flags", "a histogram for each set of request flags"),
    value<O, &O::disk>('d', "disk", "DISK", "only this disk"),
};
constexpr auto kOptions =
    all_of(kOwnOptions, kHistogramOptions<O, 'j'>, kTaskFilterOptions<O, 0, 'c'>);
constexpr std::array kExamples{
    Example{"wick biolatency 1 2", "two seconds of all disks, a histogram each"},
    Example{"wick biolatency -D 1 1", "one for each disk"},
    Example{"wick biolatency -mT 1 2", "milliseconds, with the time"},
};

}  // namespace

extern constexpr Command biolatency_command = command<BiolatencyOptions, run>({
    .name = "biolatency",
    .group = "Block I/O",
    .summary = "how long block I/O takes",
    .description =
        "Counts the time from when a request is given to its device until it is done, as "
        "a histogram. Options that choose processes go by who made it, which for buffered writes "
        "is a kernel thread.",
    .options = kOptions,
    .positionals = kIntervalPositionals<O>,
    .examples = kExamples,
});

}  // namespace wick
