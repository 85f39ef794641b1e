// wick readahead: whether pages that are read ahead are used. bcc's options and text; counted by
// bpf/readahead.bpf.c.
#include <fmt/format.h>

#include "tool/command/command.h"
#include "tool/histogram/histogram_run.h"
#include "tool/run/hooks.h"

#include "readahead.skel.h"

namespace wick {
namespace {

HistogramLabel number(std::string name, u64 value) {
  return {.name = std::move(name), .text = std::to_string(value), .is_number = true};
}

HistogramFacts facts(const readahead_bpf& bpf) {
  const u64 brought = bpf.bss->pages_brought;
  // Programs of other CPUs add while we look.
  const u64 used = std::min<u64>(bpf.bss->pages_used, brought);
  const u64 dropped = bpf.bss->pages_dropped;
  return {.text = fmt::format("Read-ahead unused pages: {}\n"
                              "Histogram of read-ahead used page age (ms):\n",
                              brought - used),
          .labels = {number("read_ahead", brought), number("unused", brought - used),
                     number("dropped", dropped)}};
}

Result<int> run(Session& session, const HistogramOptions& options, const Trailing& /*unused*/) {
  const readahead_bpf* loaded = nullptr;
  const HistogramTool tool{.heading = "Tracing",
                           .unit = {"age (ms)", kMilliseconds.size},
                           .counted = "page",
                           .facts = [&] { return facts(*loaded); }};
  return run_histogram<readahead_bpf>(session, options, tool,
                                      [&](readahead_bpf& bpf) { loaded = &bpf; });
}

using O = HistogramOptions;
constexpr std::array kOwnOptions{
    value<O, &O::duration>('d', "duration", "SECONDS", "end after this time"),
    flag<O, &O::json>(0, "json", "a JSON object a line"),
    flag<O, &O::stats>(0, "stats", "say what the run cost"),
    kMetricsOption<O>,
    kMetricsTokenOption<O>,
};
constexpr auto kOptions = all_of(kOwnOptions, kTaskFilterOptions<O>, kHookOptions<O>);
constexpr std::array kExamples{
    Example{"wick readahead -d 1", "what a second's read-ahead was good for"},
    Example{"wick readahead -d 1 --comm cat --json", "that of processes of one name, as JSON"},
};

}  // namespace

extern constexpr Command readahead_command = command<HistogramOptions, run>({
    .name = "readahead",
    .group = "Files and cache",
    .summary = "whether pages that are read ahead are used",
    .description =
        "Follows pages that read-ahead brings into the page cache until a read or a page fault "
        "asks for them, and tells their age then. Unused are those nobody asked for until the end "
        "or until they were dropped. Options that choose processes go by who reads ahead. By "
        "tracepoints a page counts as used when the read it is part of comes to it or to one "
        "before it; kernels before 6.18 tell by functions (folio_mark_accessed) of each folio.",
    .options = kOptions,
    .examples = kExamples,
});

}  // namespace wick
