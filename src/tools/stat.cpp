// wick stat: how often events happen, in a command, threads, a cgroup or everywhere. perf stat's
// options and text; counted by the kernel's own counters, without BPF.
#include "tool/command/command.h"
#include "tool/stat/stat_options.h"
#include "tool/stat/stat_run.h"

namespace wick {
namespace {

Result<int> run(Session& session, const StatOptions& options, const Trailing& command) {
  return StatRun{session, options, command}.run();
}

constexpr std::array kExamples{
    Example{"wick stat -- sort /etc/services",
            "a command and its children, by perf's eight events"},
    Example{"wick stat -r 5 -e task-clock,page-faults -- true",
            "the mean of five runs, and how far it may be off"},
    Example{"wick stat -a -A -d 1", "the whole system for a second, each CPU"},
    Example{"wick stat -p 1 -e cs,raw_syscalls:sys_enter -d 1", "the system calls of a process"},
    Example{"wick stat -I 500 -d 2 --csv -e cs,faults", "every half second, for a spreadsheet"},
};

}  // namespace

extern constexpr Command stat_command = command<StatOptions, run>({
    .name = "stat",
    .group = "Counters",
    .summary = "how often events happen: software, hardware, tracepoints",
    .description =
        "Counts events of a command and all it starts, of processes, threads, a cgroup or the "
        "whole system, until it ends, a duration is over, or Ctrl-C. Counters are opened before "
        "the command's first instruction. Behind # stand figures that follow from the counts. An "
        "event this machine does not have is <not supported>; one whose thread never ran is "
        "<not counted>. Where a PMU has fewer counters than events they take turns: counts are "
        "then scaled up, and the percentage behind says which part of the time was counted. The "
        "exit status is the command's own, 128 and the signal's number when one ended it, 0 when "
        "Wick did (-d, Ctrl-C). Without root one's own commands are counted in user space.",
    .options = kStatOptions,
    .examples = kExamples,
    .takes_command = true,
});

}  // namespace wick
