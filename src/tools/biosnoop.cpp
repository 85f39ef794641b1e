// wick biosnoop: every block request, as it is done. bcc's options and text.
#include "proc/disks.h"
#include "tool/command/command.h"
#include "tool/event/event_run.h"
#include "tool/files/block_requests.h"

#include "biosnoop.skel.h"

namespace wick {
namespace {

using Event = wick_biosnoop_event;
using Request = wick_block_request;

struct BiosnoopOptions : EventOptions {
  bool queued = false;
  bool pattern = false;
  std::optional<std::string> disk;
};

Columns<Event> columns(const BiosnoopOptions& options, DiskNames& disks, AccessPattern& pattern) {
  const auto of = [](auto value) {
    return [=](const Event& event) { return std::invoke(value, event.request); };
  };
  const auto comm = [](const Request& request) {
    return fixed_text(request.comm, WICK_BLOCK_COMM);
  };
  const auto disk = [&](const Request& request) { return disks.of(request.device); };
  const auto kind = [](const Request& request) { return kind_letter(request.kind); };
  const auto order = [&](const Request& request) { return pattern.of(request); };
  const auto queue_ms = [](const Request& r) { return static_cast<double>(r.queue_ns) / 1e6; };
  const auto device_ms = [](const Request& r) { return static_cast<double>(r.device_ns) / 1e6; };
  Columns<Event> out{text_column<Event>("COMM", "comm", -14, of(comm)),
                     number_column<Event>("PID", "pid", -7, of(&Request::tgid)),
                     text_column<Event>("DISK", "disk", -9, of(disk)),
                     text_column<Event>("T", "type", -1, of(kind)),
                     number_column<Event>("SECTOR", "sector", -10, of(&Request::sector)),
                     number_column<Event>("BYTES", "bytes", -7, of(&Request::bytes))};
  if (options.pattern) out.push_back(text_column<Event>("P", "pattern", -1, of(order)));
  if (options.queued)
    out.push_back(decimal_column<Event>("QUE(ms)", "queue_ms", 7, 3, of(queue_ms)));
  out.push_back(decimal_column<Event>("LAT(ms)", "latency_ms", 7, 3, of(device_ms)));
  return out;
}

Result<int> run(Session& session, const BiosnoopOptions& options, const Trailing& /*unused*/) {
  const auto disk = TRY(chosen_disk(options.disk));
  DiskNames disks;
  AccessPattern pattern;
  const EventTool<Event> tool{.counted = "request", .columns = columns(options, disks, pattern)};
  return run_events<biosnoop_bpf>(session, options, tool, [&](biosnoop_bpf&, BpfObject& object) {
    return track_requests(object, {.owners = true, .queue = options.queued, .disk = disk});
  });
}

using O = BiosnoopOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::queued>('Q', "queue", "also the time in the kernel's queue"),
    flag<O, &O::pattern>('P', "pattern", "whether each begins where the last one ended (S) or not"),
    value<O, &O::disk>('d', "disk", "DISK", "only this disk"),
};
constexpr auto kOptions = all_of(kOwnOptions, kTaskFilterOptions<O>, kEventOptions<O>);
constexpr std::array kExamples{
    Example{"wick biosnoop --duration 1", "the requests of a second"},
    Example{"wick biosnoop -Q --json --comm dd --duration 1", "those of dd, as JSON"},
};

}  // namespace

extern constexpr Command biosnoop_command = command<BiosnoopOptions, run>(
    {.name = "biosnoop",
     .group = "Block I/O",
     .summary = "every block request, as it is done",
     .description = "Prints a line for every request: who made it (for buffered writes a kernel "
                    "thread), which disk or partition, what, where, how much, and the time from "
                    "when it is given to the device until it is done.",
     .options = kOptions,
     .examples = kExamples});

}  // namespace wick
