// Where a profile comes from: files of any kind Wick reads, merged, narrowed down. Shared by every
// command that looks at a profile; such a command derives its options from InputOptions.
//
//   const Profile profile = TRY(read_inputs(session, options.inputs.list, options));
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/read/read.h"
#include "profile/profile.h"
#include "tool/command/option.h"
#include "tool/command/session.h"

namespace wick {

struct InputOptions {
  std::optional<std::string> from;
  std::optional<std::string> value;
  Texts focus;
  Texts ignore;
  Texts hide;
  Texts from_frame;
  std::vector<std::string> comms;
  std::vector<u32> pids;
  Texts labels;
  bool collapse_recursion = false;
  bool reverse = false;
};

// Of a command that reads any number of them.
struct InputFiles {
  Texts inputs;
};

// With `moments` the times of events are kept, for what can show them.
[[nodiscard]] Result<Profile> read_inputs(Session& session, const std::vector<std::string>& paths,
                                          const InputOptions& options, bool moments = false);

// "12,345 samples in 678 stacks": for the last line on standard error.
[[nodiscard]] std::string contents_text(const Profile& profile);

template <class O>
inline constexpr std::array kInputFiles{
    needed_many<O, &O::inputs>("input", "files to read; several become one. - is standard input"),
};

template <class O>
inline constexpr std::array kInputOptions{
    value<O, &O::from>(0, "from", "KIND",
                       "what the input is, where its content does not tell: folded, pprof, perf, "
                       "bpftrace, speedscope, json"),
    value<O, &O::value>(0, "value", "NAME",
                        "which value of the profile to show, where it has several (samples, cpu, "
                        "an event's or a map's name)"),
    value<O, &O::focus>(0, "focus", "RE", "only stacks with such a frame or command"),
    value<O, &O::ignore>(0, "ignore", "RE", "no stacks with such a frame or command"),
    value<O, &O::hide>(0, "hide", "RE", "take such frames out of their stacks"),
    value<O, &O::from_frame>(0, "from-frame", "RE",
                             "begin each stack at its outermost such frame; no others"),
    value<O, &O::comms>(0, "comm", "NAME,...", "only these commands"),
    value<O, &O::pids>('p', "pid", "PID,...", "only these processes"),
    value<O, &O::labels>(0, "label", "KEY=VALUE", "only samples with this label"),
    flag<O, &O::collapse_recursion>(0, "collapse-recursion",
                                    "show a function that calls itself once"),
    flag<O, &O::reverse>(0, "reverse", "turn stacks round: leaves become roots"),
};

}  // namespace wick
