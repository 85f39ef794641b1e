// StackOptions: what every tool whose result is a profile lets a person choose about its stacks. A
// tool derives its options from this, and puts kStackOptions<O> among them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/ids.h"
#include "base/result.h"
#include "bpf/abi/stacks.h"
#include "runtime/registry.h"
#include "tool/command/option.h"
#include "tool/output/profile_output.h"
#include "tool/run/task_filter.h"

namespace wick {

struct StackOptions : TaskFilter, OutputOptions, PictureOptions {
  bool user_only = false;
  bool kernel_only = false;
  bool per_thread = false;
  u32 max_depth = WICK_MAX_DEPTH;
  std::string unwind = "auto";
  u64 unwind_memory = 256;  // MB
  bool java = false;
  u32 without_runtimes = 0;  // bit per wick_runtime_kind
  bool lines = false;
  bool stats = false;
  std::optional<double> duration;

  [[nodiscard]] bool by_tables() const { return unwind != "fp" && !kernel_only; }
  // Those whose frames are shown in place of their interpreter's; bit per wick_runtime_kind.
  [[nodiscard]] u32 runtimes() const { return by_tables() ? ~without_runtimes : 0; }
};

// Every mistake in them that can be found before anything is loaded.
[[nodiscard]] Status check(const StackOptions& options);

// "user + kernel", for bcc's headings.
[[nodiscard]] std::string_view which_stacks(const StackOptions& options);
// "PID 12,13", "all threads"; a started command by its name.
[[nodiscard]] std::string whose_stacks(const StackOptions& options,
                                       const std::vector<std::string>& command);

namespace option_detail {

template <class O, u32 Kind>
Status leave_runtime_out(void* options, std::string_view /*unused*/) {
  static_cast<O*>(options)->without_runtimes |= 1U << Kind;
  return {};
}

// A flag for each runtime that leaves its frames out.
template <class O, std::size_t... I>
constexpr std::array<Option, sizeof...(I)> runtime_options(std::index_sequence<I...> /*unused*/) {
  return {Option{0,
                 kRuntimes[I]->option,
                 {},
                 kRuntimes[I]->option_help,
                 leave_runtime_out<O, kRuntimes[I]->kind>}...};
}

template <class O>
inline constexpr std::array kWalkOptions{
    flag<O, &O::user_only>('U', "user-stacks-only", "user stacks only (no kernel frames)"),
    flag<O, &O::kernel_only>('K', "kernel-stacks-only", "kernel stacks only (no user frames)"),
    flag<O, &O::per_thread>(0, "per-thread", "tell threads apart"),
    value<O, &O::max_depth>(0, "max-depth", "N",
                            "frames kept of a stack, 512 at most (the default)"),
    value<O, &O::unwind>(0, "unwind", "HOW",
                         "how user stacks are walked: auto (by the tables of each file, by frame "
                         "pointers where there is none), fp, dwarf (tables only)"),
    value<O, &O::unwind_memory>(0, "unwind-memory", "MB",
                                "kernel memory for those tables, at most (default 256)"),
    flag<O, &O::java>(0, "java",
                      "ask the JVMs that were sampled (JDK 17 or newer) for the names of their "
                      "methods"),
};

template <class O>
inline constexpr std::array kCostOptions{
    flag<O, &O::lines>(0, "lines",
                       "source file and line of each frame, and the calls inlined there, from "
                       "debug information"),
    flag<O, &O::stats>(0, "stats", "say what the run cost"),
};

}  // namespace option_detail

template <class O>
inline constexpr auto kStackOptions =
    all_of(option_detail::kWalkOptions<O>,
           option_detail::runtime_options<O>(std::make_index_sequence<kRuntimes.size()>{}),
           option_detail::kCostOptions<O>);

}  // namespace wick
