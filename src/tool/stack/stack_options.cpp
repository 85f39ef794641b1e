#include "tool/stack/stack_options.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tool/run/intervals.h"

namespace wick {

Status check(const StackOptions& options) {
  if (options.user_only && options.kernel_only)
    return fail_usage("-U and -K together leave nothing",
                      "give one of them, or none for both stacks");
  if (options.max_depth == 0 || options.max_depth > WICK_MAX_DEPTH)
    return fail_usage(
        fmt::format("--max-depth {} is not between 1 and {}", options.max_depth, +WICK_MAX_DEPTH));
  if (options.unwind != "auto" && options.unwind != "fp" && options.unwind != "dwarf")
    return fail_usage(fmt::format("--unwind {} is nothing Wick can do", printable(options.unwind)),
                      "known are auto, fp and dwarf");
  if (options.unwind_memory == 0 || options.unwind_memory > (1U << 20))
    return fail_usage("--unwind-memory: a number of megabytes, from 1 on");
  TRY(seconds_to_ns(options.duration, "duration"));
  return {};
}

std::string_view which_stacks(const StackOptions& options) {
  if (options.user_only) return "user";
  if (options.kernel_only) return "kernel";
  return "user + kernel";
}

std::string whose_stacks(const StackOptions& options, const std::vector<std::string>& command) {
  if (!command.empty()) return printable(command.front());
  if (!options.pids.empty()) return fmt::format("PID {}", fmt::join(options.pids, ","));
  if (!options.tids.empty()) return fmt::format("TID {}", fmt::join(options.tids, ","));
  return "all threads";
}

}  // namespace wick
