// Command: one `wick NAME`, as a declaration. A file of src/tools holds one; the table of all of
// them is made from the folder by CMake. Help, docs/tools, man page and completion are printed from
// it.
//
//   Result<int> run(Session& session, const SleepOptions& options, const Trailing&);
//   extern constexpr Command sleep_command = command<SleepOptions, run>({
//       .name = "sleep", .group = "Time", .summary = "wait", .options = kOptions, .examples =
//       kExamples});
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tool/command/option.h"
#include "tool/command/session.h"

namespace wick {

struct Example {
  std::string_view command;  // as typed, from "wick" on
  std::string_view does;
};

struct CommandInfo {
  std::string_view name;
  std::string_view group;
  std::string_view summary;
  std::string_view description;
  std::span<const Option> options;
  std::span<const Positional> positionals;
  std::span<const Example> examples;
  bool takes_command = false;  // `-- command args` may follow
};

// What the command line gave, in order, before it is put into the options struct.
struct Setting {
  std::string name;  // as the person knows it: "-F", "duration"
  Status (*set)(void* options, std::string_view value);
  std::string value;
};
using Trailing = std::vector<std::string>;  // behind "--"

struct Invocation {
  std::vector<Setting> settings;
  Trailing trailing;
};

struct Command {
  CommandInfo info;
  // The exit status, or an error to be told.
  Result<int> (*invoke)(Session& session, const Invocation& invocation);
};

template <class Options, Result<int> (*Run)(Session&, const Options&, const Trailing&)>
constexpr Command command(CommandInfo info) {
  return {info, [](Session& session, const Invocation& invocation) -> Result<int> {
            Options options{};
            for (const Setting& setting : invocation.settings)
              TRY_CTX(setting.set(&options, setting.value), setting.name);
            return Run(session, options, invocation.trailing);
          }};
}

// Defined by the generated table.
[[nodiscard]] std::span<const Command* const> all_commands();

}  // namespace wick
