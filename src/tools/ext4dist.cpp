// wick ext4dist: fsdist for ext4, by bcc's name.
#include "tool/command/command.h"
#include "tool/histogram/fs_latency.h"

#include "fsdist.skel.h"

namespace wick {
namespace {

Result<int> run(Session& session, const HistogramOptions& options, const Trailing& /*unused*/) {
  return run_fs_latency<fsdist_bpf>(session, options, "ext4");
}

constexpr std::array kExamples{
    Example{"wick ext4dist 1 2", "two seconds, histograms each"},
    Example{"wick ext4dist -m -T 1 1", "in milliseconds, with the time"},
};

}  // namespace

extern constexpr Command ext4dist_command = command<HistogramOptions, run>({
    .name = "ext4dist",
    .group = "Files and cache",
    .summary = "how long operations of ext4 take",
    .description = "The same as fsdist -t ext4.",
    .options = kFsLatencyOptions<HistogramOptions>,
    .positionals = kIntervalPositionals<HistogramOptions>,
    .examples = kExamples,
});

}  // namespace wick
