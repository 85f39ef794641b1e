// wick fileslower: reads and writes that take long, as bcc's; measured by bpf/fileslower.bpf.c.
#include <fmt/format.h>

#include <algorithm>

#include "bpf/abi/file_io.h"
#include "tool/command/command.h"
#include "tool/event/event_run.h"
#include "tool/files/path_columns.h"

#include "fileslower.skel.h"

namespace wick {
namespace {

using Event = wick_fileslower_event;

struct FileslowerOptions : EventOptions {
  double min_ms = 10;
  bool all_files = false;
};

Columns<Event> columns(PathNames& names) {
  const auto direction = [](const Event& event) { return event.is_write != 0 ? "W" : "R"; };
  const auto bytes = [](const Event& event) { return std::max<i64>(0, event.result); };
  const auto error = [](const Event& event) { return std::max<i64>(0, -event.result); };
  const auto ms = [](const Event& event) { return static_cast<double>(event.latency_ns) / 1e6; };
  return {comm_column<Event>(-14),
          hidden_pid_column<Event>(),
          number_column<Event>("TID", "tid", -7, &Event::tid),
          text_column<Event>("D", "direction", 1, direction),
          number_column<Event>("BYTES", "bytes", -7, bytes),
          number_column<Event>("", "error", 0, error),
          decimal_column<Event>("LAT(ms)", "latency_ms", 7, 2, ms),
          file_column<Event>("FILENAME", names, &Event::path),
          path_column<Event>("", names, &Event::path)};
}

Result<int> run(Session& session, const FileslowerOptions& options, const Trailing& /*unused*/) {
  const double ms = options.min_ms;
  if (!(ms >= 0) || ms > 1e9) return fail_usage("the shortest time must be 0 ms or more");
  const std::string slower = ms == 0 ? "" : fmt::format(" slower than {:g} ms", ms);
  PathNames names;
  const EventTool<Event> tool{.heading = fmt::format("Tracing sync read/writes{}\n", slower),
                              .time_width = 8,
                              .time_digits = 3,
                              .counted = "call",
                              .columns = columns(names),
                              .names = &names};
  return run_events<fileslower_bpf>(session, options, tool, [&](fileslower_bpf& bpf) {
    bpf.rodata->min_ns = static_cast<u64>(ms * 1e6);
    bpf.rodata->all_files = options.all_files;
  });
}

using O = FileslowerOptions;
constexpr auto kOptions =
    all_of(kTaskFilterOptions<O>, kAllFilesOption<O>, kTypedHookOptions<O>, kEventOptions<O>);
constexpr std::array kPositionals{
    positional<O, &O::min_ms>("min_ms", "milliseconds it takes at least (default 10; 0: all)")};
constexpr std::array kExamples{
    Example{"wick fileslower 1 --duration 1", "of a second, from 1 ms on"},
    Example{"wick fileslower -a 100 --duration 1 --json", "also of pipes and sockets, as JSON"},
};

}  // namespace

extern constexpr Command fileslower_command = command<FileslowerOptions, run>({
    .name = "fileslower",
    .group = "Files and cache",
    .summary = "reads and writes of files that take long",
    .description =
        "Tells of every read and write call that takes at least 10 ms, or as long as given. "
        "Not seen: mmap, sendfile, splice, io_uring, and without fentry 32-bit programs.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
});

}  // namespace wick
