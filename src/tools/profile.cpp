// wick profile: where CPU time goes, by stack. bcc's options and text; counted in the kernel by
// bpf/profile.bpf.c, named at the end.
#include <fmt/format.h>

#include "kernel/bpf/skeleton.h"
#include "profile.skel.h"
#include "tool/command/command.h"
#include "tool/stack/sample_plan.h"
#include "tool/stack/stack_run.h"

namespace wick {
namespace {

struct ProfileOptions : StackOptions, SampleOptions {
  bool include_idle = false;
};

// bcc's first line.
std::string heading(const ProfileOptions& options, const SamplePlan& plan,
                    const Trailing& command) {
  std::string text = fmt::format("Sampling at {} of {} by {} stack", plan.period_text(),
                                 whose_stacks(options, command), which_stacks(options));
  if (options.cpu) text += fmt::format(" on CPU#{}", *options.cpu);
  if (options.duration) return text + fmt::format(" for {} secs.\n", *options.duration);
  return text + (command.empty() ? "... Hit Ctrl-C to end.\n" : ".\n");
}

StackReport report_of(const SamplePlan& plan, const bpf_program* program) {
  const u64 period_ns = plan.period_ns();
  StackReport report{
      .types = {{.type = "samples", .unit = "count"}},
      .values =
          [period_ns](const StackEntry& entry, std::vector<i64>& row) {
            row.push_back(static_cast<i64>(entry.value));
            if (period_ns != 0) row.push_back(static_cast<i64>(entry.value * period_ns));
          },
      .title = plan.event.is_clock() ? "CPU" : plan.event.name,
      .period_type = {},
      .period = static_cast<i64>(period_ns != 0 ? period_ns : plan.period.value),
      .cpus = static_cast<u32>(plan.cpus.size()),
      .seen = fmt::format("at {} on {}", plan.period_text(), counted(plan.cpus.size(), "CPU")),
      .runs = {program}};
  if (period_ns != 0) report.types.push_back({.type = "cpu", .unit = "nanoseconds"});
  report.period_type = report.types.back();
  return report;
}

Result<int> run(Session& session, const ProfileOptions& options, const Trailing& command) {
  // Events are not clocks: nobody knows how many come. Room for this many a second on each CPU.
  constexpr u64 kUnknownRate = 10'000;
  const SamplePlan plan = TRY(make_sample_plan(options));
  StackRun<profile_bpf> run{session, options, command};
  TRY(run.prepare());
  const bool traced = plan.event.is_tracepoint();
  bpf_program* const program = traced ? run.programs().on_tracepoint : run.programs().on_event;
  bpf_program__set_autoload(traced ? run.programs().on_event : run.programs().on_tracepoint, false);
  run.rodata().every = traced ? plan.period.value : 1;
  run.rodata().only_cpu = options.cpu ? static_cast<i32>(*options.cpu) : -1;
  *run.object().probe(program) = plan.probe(bpf_program__name(program), options.include_idle);
  TRY(run.load({.per_second = (plan.period.is_frequency ? plan.period.value : kUnknownRate) *
                              plan.cpus.size(),
                .include_idle = options.include_idle}));
  TRY(run.attach({program}, "sample"));
  run.armed();
  if (!plan.told.empty()) session.note(plan.told);
  TRY(run.collect(heading(options, plan, command)));
  run.detach();
  return run.report(report_of(plan, program));
}

using O = ProfileOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::include_idle>('I', "include-idle", "count the idle task too"),
};
constexpr auto kOptions = all_of(kTaskFilterOptions<O>, kSampleOptions<O>, kOwnOptions,
                                 kStackOptions<O>, kOutputOptions<O>, kPictureOptions<O>);
constexpr std::array kPositionals{
    positional<O, &O::duration>("duration", "seconds to sample for (default: until Ctrl-C)"),
};
constexpr std::array kExamples{
    Example{"wick profile 5", "every process for 5 seconds at 49 Hz, stacks as text"},
    Example{"wick profile -F 99 -o cpu.svg 5", "a flame graph of the whole system"},
    Example{"wick profile -F 99 -o cpu.pb.gz -- sort /etc/services",
            "a command from its first instruction to its last"},
    Example{"wick profile -p 1 -f 3", "one process, folded"},
    Example{"wick profile -e page-faults --top 10 2", "who faults pages in"},
};

}  // namespace

extern constexpr Command profile_command = command<ProfileOptions, run>({
    .name = "profile",
    .group = "Stacks",
    .summary = "where CPU time goes, by stack",
    .description = "Samples what runs on every CPU at a fixed rate, counts equal stacks inside the "
                   "kernel and names them at the "
                   "end. Without -o the result is bcc's text: stacks with kernel frames first, "
                   "leaf on top, the number of "
                   "samples below. The last line on standard error tells how many samples were "
                   "taken and what was lost, if "
                   "anything. User stacks are walked by the unwind tables of each file, and by "
                   "frame pointers where there is none.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
    .takes_command = true,
});

}  // namespace wick
