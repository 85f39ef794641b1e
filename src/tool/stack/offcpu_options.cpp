#include "tool/stack/offcpu_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace wick {
namespace {

struct StateName {
  std::string_view letter;  // as ps has it
  std::string_view name;
  u32 bits;
};
// Of the kernel's include/linux/sched.h; these have not changed since 4.14.
constexpr std::array kStates{
    StateName{"R", "runnable", 0x0},        StateName{"S", "interruptible", 0x1},
    StateName{"D", "uninterruptible", 0x2}, StateName{"T", "stopped", 0x4},
    StateName{"t", "traced", 0x8},          StateName{"P", "parked", 0x40},
    StateName{"I", "idle", 0x402},
};

Error unknown_state(std::string_view text) {
  return {.message = fmt::format("'{}' is no state of a thread", printable(text)),
          .code = 0,
          .hint =
              "known are R, S, D, T, t, P, I, their names (runnable, interruptible, "
              "uninterruptible, stopped, traced, parked, idle) and masks",
          .kind = ErrorKind::usage};
}

std::string whose(const OffCpuOptions& options, const std::vector<std::string>& command) {
  if (options.user_threads) return "user threads";
  if (options.kernel_threads) return "kernel threads";
  return whose_stacks(options, command);
}

}  // namespace

Result<u32> parse_thread_state(std::string_view text) {
  if (const auto mask = parse_number<u32>(text)) return *mask;
  u32 bits = 0;
  bool runnable = false;
  for (const std::string_view word : split(text, ',')) {
    const auto state = std::ranges::find_if(kStates, [&](const StateName& known) {
      return word == known.letter || word == known.name;
    });
    if (state == kStates.end()) return std::unexpected(unknown_state(word));
    bits |= state->bits;
    runnable = runnable || state->bits == 0;
  }
  if (runnable && bits != 0)
    return fail_usage("runnable threads and waiting ones together", "give two runs, or no --state");
  return bits;
}

Status OffCpuPlan::set_constants(BpfObject& object) const {
  TRY(object.set_constant("user_threads_only", user_threads));
  TRY(object.set_constant("kernel_threads_only", kernel_threads));
  TRY(object.set_constant("min_ns", min_ns));
  TRY(object.set_constant("max_ns", max_ns));
  TRY(object.set_constant("filter_by_state", state.has_value()));
  return object.set_constant("filter_state", state.value_or(0));
}

Result<OffCpuPlan> make_offcpu_plan(const OffCpuOptions& options) {
  if (options.user_threads && options.kernel_threads)
    return fail_usage("-u and -k together leave nothing", "give one of them, or none");
  if (options.min_us > options.max_us)
    return fail_usage(fmt::format("-m {} is more than -M {}", options.min_us, options.max_us));
  constexpr u64 kMost = std::numeric_limits<u64>::max() / kNanosPerMicro;
  OffCpuPlan plan{.user_threads = options.user_threads,
                  .kernel_threads = options.kernel_threads,
                  .min_ns = std::min(options.min_us, kMost) * kNanosPerMicro,
                  .max_ns = std::min(options.max_us, kMost) * kNanosPerMicro,
                  .state = {}};
  if (options.state) plan.state = TRY_CTX(parse_thread_state(*options.state), "--state");
  return plan;
}

std::string offcpu_heading(std::string_view what, const OffCpuOptions& options,
                           const std::vector<std::string>& command) {
  std::string text = fmt::format("Tracing {} of {} by {} stack", what, whose(options, command),
                                 which_stacks(options));
  if (options.duration) return text + fmt::format(" for {} secs.\n", *options.duration);
  return text + (command.empty() ? "... Hit Ctrl-C to end.\n" : ".\n");
}

void count_and_time(const StackEntry& entry, std::vector<i64>& values) {
  values.push_back(static_cast<i64>(entry.count));
  values.push_back(static_cast<i64>(entry.value));
}

}  // namespace wick
