// wick syscount: how often system calls are made, and how long they take. bcc's options and text;
// counted by bpf/syscount.bpf.c.
#include <fmt/format.h>

#include "arch/syscalls.h"
#include "tool/command/command.h"
#include "tool/run/syscall_filter.h"
#include "tool/table/table_run.h"

#include "syscount.skel.h"

namespace wick {
namespace {

struct SyscountOptions : TableOptions, SyscallFilter {
  std::optional<u32> parent;
  bool list = false;
  bool latency = false;
  bool milliseconds = false;
  bool by_process = false;
};

std::vector<TableColumn> columns(const SyscountOptions& options) {
  std::vector<TableColumn> out = process_columns();
  const auto name = [](const TableRow& row) { return syscall_text(u32(row.key.first)); };
  if (!options.by_process) out = {text_column<TableRow>("SYSCALL", "syscall", -22, name)};
  out.push_back(amount_column("COUNT", "count", 8, 0));
  if (options.latency) out.push_back(time_column(options.milliseconds, 1));
  return out;
}

Result<int> run(Session& session, const SyscountOptions& options, const Trailing& /*unused*/) {
  if (options.list) return told(session, syscall_list());
  const ResolvedSyscallFilter filter = TRY(resolve_syscalls(options));
  const std::vector<TableColumn> shown = columns(options);
  const TableTool tool{
      .heading = fmt::format("Tracing {}syscalls, printing top {}... Ctrl+C to quit.\n",
                             filter.failed_only ? "failed " : "", options.top),
      .by_number = !options.by_process,
      .sort = shown.back().json_name,
      .counted = "call",
      .columns = shown};
  return run_table<syscount_bpf>(session, options, tool, [&](syscount_bpf& bpf, BpfObject& object) {
    bpf.rodata->measure_time = options.latency;
    bpf.rodata->filter_parent = options.parent.value_or(0);
    bpf_program__set_autoload(bpf.progs.on_enter, options.latency);
    return filter.set_constants(object);
  });
}

using O = SyscountOptions;
constexpr std::array kOwnOptions{
    value<O, &O::parent>('c', "ppid", "PID", "only children of this process"),
    flag<O, &O::latency>('L', "latency", "also how long they take, and sort by it"),
    flag<O, &O::milliseconds>('m', "milliseconds", "milliseconds instead of microseconds"),
    flag<O, &O::by_process>('P', "process", "by process, not by call"),
    flag<O, &O::list>('l', "list", "print the names of all calls, and end"),
};
constexpr auto kOptions = all_of(kTaskFilterOptions<O, 't'>, kOwnOptions, kSyscallFilterOptions<O>,
                                 kTableTimeOptions<O>, kTableOptions<O>);
constexpr std::array kExamples{
    Example{"wick syscount -d 1", "the ten most frequent calls of a second"},
    Example{"wick syscount -L -P -i 1 -d 2", "by process, with the time they take, each second"},
    Example{"wick syscount -x -e ENOENT -d 1", "files that are not there"},
};

}  // namespace

extern constexpr Command syscount_command = command<SyscountOptions, run>({
    .name = "syscount",
    .group = "System calls",
    .summary = "how often system calls are made, and how long they take",
    .description = "Counts system calls as they return, by call or by process. With -L also the "
                   "time from entering the kernel to leaving it: mostly waiting, if a call waits.",
    .options = kOptions,
    .examples = kExamples,
});

}  // namespace wick
