// StackOptions: what every tool whose result is a profile lets a person choose about its stacks. A
// tool derives its options from this, and puts kStackOptions<O> among them.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "bpf/abi/stacks.h"
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
  bool no_python = false;
  bool lines = false;
  bool stats = false;
  std::optional<double> duration;

  [[nodiscard]] bool by_tables() const { return unwind != "fp" && !kernel_only; }
};

// Every mistake in them that can be found before anything is loaded.
[[nodiscard]] Status check(const StackOptions& options);

// "user + kernel", for bcc's headings.
[[nodiscard]] std::string_view which_stacks(const StackOptions& options);
// "PID 12,13", "all threads"; a started command by its name.
[[nodiscard]] std::string whose_stacks(const StackOptions& options,
                                       const std::vector<std::string>& command);

template <class O>
inline constexpr std::array kStackOptions{
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
    flag<O, &O::no_python>(0, "no-python",
                           "leave the Python interpreter's own frames in place of Python's"),
    flag<O, &O::lines>(0, "lines",
                       "source file and line of each frame, and the calls inlined there, from "
                       "debug information"),
    flag<O, &O::stats>(0, "stats", "say what the run cost"),
};

}  // namespace wick
