// wick fsdist: how long operations of a file system take. libbpf-tools' options, bcc's text;
// measured by bpf/fsdist.bpf.c.
#include "tool/command/command.h"
#include "tool/histogram/fs_latency.h"

#include "fsdist.skel.h"

namespace wick {
namespace {

struct FsdistOptions : HistogramOptions {
  std::optional<std::string> type;
};

Result<int> run(Session& session, const FsdistOptions& options, const Trailing& /*unused*/) {
  if (!options.type)
    return fail_usage("which file system?", "give -t with one of " + file_system_names());
  return run_fs_latency<fsdist_bpf>(session, options, *options.type);
}

using O = FsdistOptions;
constexpr std::array kOwnOptions{
    value<O, &O::type>('t', "type", "NAME",
                       "the file system: bcachefs, btrfs, ext4, f2fs, fuse, nfs, xfs or zfs"),
};
constexpr auto kOptions = all_of(kOwnOptions, kFsLatencyOptions<O>);
constexpr std::array kExamples{
    Example{"wick fsdist -t ext4 1 2", "two seconds of ext4, histograms each"},
    Example{"wick fsdist -t ext4 -m --json 1 1", "in milliseconds, as JSON"},
};

}  // namespace

extern constexpr Command fsdist_command = command<FsdistOptions, run>({
    .name = "fsdist",
    .group = "Files and cache",
    .summary = "how long operations of a file system take",
    .description =
        "Counts the time that reads, writes, opens, fsyncs and stats spend in the file system, a "
        "histogram each: from the cache some microseconds, from the disk what the disk takes. "
        "Needs a kernel that lets programs hook its functions.",
    .options = kOptions,
    .positionals = kIntervalPositionals<O>,
    .examples = kExamples,
});

}  // namespace wick
