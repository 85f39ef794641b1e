// wick dcsnoop: names that are looked up in the directory cache. bcc's text; told by
// bpf/dcsnoop.bpf.c.
#include <fmt/format.h>

#include "bpf/abi/dcsnoop.h"
#include "tool/command/command.h"
#include "tool/event/event_run.h"

#include "dcsnoop.skel.h"

namespace wick {
namespace {

struct DcsnoopOptions : EventOptions {
  bool all = false;
};
using Event = wick_dcsnoop_event;

Status choose_functions(dcsnoop_bpf& bpf, BpfObject& object, bool all) {
  bpf_program__set_autoload(bpf.progs.fentry_lookup_fast, all);
  bpf_program__set_autoload(bpf.progs.kprobe_lookup_fast, all);
  const std::set<std::string> missing = TRY(leave_out_missing_functions(object));
  if (all && missing.contains("lookup_fast"))
    return fail("-a: this kernel's lookup_fast cannot be hooked: it is inlined");
  return {};
}

Result<int> run(Session& session, const DcsnoopOptions& options, const Trailing& /*unused*/) {
  const EventTool<Event> tool{
      .counted = "lookup",
      .columns = {
          number_column<Event>("PID", "pid", -7, [](const Event& event) { return event.pid; }),
          comm_column<Event>(),
          text_column<Event>("T", "type", -1,
                             [](const Event& event) { return event.is_miss != 0 ? "M" : "R"; }),
          text_column<Event>("FILE", "file", 0, [](const Event& event) {
            return fixed_text(event.name, sizeof(event.name));
          })}};
  return run_events<dcsnoop_bpf>(session, options, tool, [&](dcsnoop_bpf& bpf, BpfObject& object) {
    return choose_functions(bpf, object, options.all);
  });
}

using O = DcsnoopOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::all>('a', "all", "all lookups, not only of what is not in the cache"),
};
constexpr auto kOptions =
    all_of(kOwnOptions, kTaskFilterOptions<O>, kEventOptions<O>, kHookOptions<O>);
constexpr std::array kExamples{
    Example{"wick dcsnoop --duration 1", "a second of names that were not in the cache"},
    Example{"wick dcsnoop -a -p 4321 --duration 1", "every name that a process looks up"},
};

}  // namespace

extern constexpr Command dcsnoop_command = command<DcsnoopOptions, run>({
    .name = "dcsnoop",
    .group = "Files and cache",
    .summary = "names that are looked up in the directory cache",
    .description =
        "Tells of each name in a path that is not in the kernel's directory cache, so that the "
        "file system is asked (T is M); with -a of every name that is looked up (R). Names that "
        "are known not to exist are in the cache too, where the file system keeps them. Needs a "
        "kernel that lets programs hook its functions.",
    .options = kOptions,
    .examples = kExamples,
});

}  // namespace wick
