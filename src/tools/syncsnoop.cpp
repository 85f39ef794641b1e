// wick syncsnoop: who makes the kernel write files back. bcc's text; told by bpf/syncsnoop.bpf.c.
#include "bpf/abi/syncsnoop.h"
#include "arch/syscalls.h"
#include "tool/command/command.h"
#include "tool/event/event_run.h"

#include "syncsnoop.skel.h"

namespace wick {
namespace {

using Event = wick_syncsnoop_event;

Result<int> run(Session& session, const EventOptions& options, const Trailing& /*unused*/) {
  const EventTool<Event> tool{
      .time_width = 18,
      .time_digits = 9,
      .counted = "call",
      .columns = {comm_column<Event>(), hidden_pid_column<Event>(),
                  text_column<Event>("CALL", "call", 0,
                                     [](const Event& event) { return syscall_text(event.call); })}};
  return run_events<syncsnoop_bpf>(session, options, tool, [](syncsnoop_bpf&) {});
}

using O = EventOptions;
constexpr auto kOptions = all_of(kTaskFilterOptions<O>, kEventOptions<O>);
constexpr std::array kExamples{
    Example{"wick syncsnoop --duration 1", "everybody's calls of a second"},
    Example{"wick syncsnoop --json --comm sync --duration 1", "those of sync(1), as JSON"},
};

}  // namespace

extern constexpr Command syncsnoop_command = command<EventOptions, run>({
    .name = "syncsnoop",
    .group = "Files and cache",
    .summary = "who makes the kernel write files back",
    .description = "Tells of every sync, fsync, fdatasync, msync, syncfs and sync_file_range as it "
                   "is called. Programs that call them often wait for the disk often.",
    .options = kOptions,
    .examples = kExamples,
});

}  // namespace wick
