// wick list: the commands there are, for people and for programs that build on them.
#include <fmt/format.h>

#include "formats/json_text.h"
#include "tool/command/command.h"
#include "tool/command/command_groups.h"
#include "tool/table/columns.h"

namespace wick {
namespace {

struct ListOptions {
  bool json = false;
};

std::string json_field(std::string_view name, std::string_view text) {
  return fmt::format("{}:{}", json_quoted(name), json_quoted(text));
}

template <class Items, class F>
std::string json_list(std::string_view name, const Items& items, F&& fields) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "{" : ",{") + fields(item) + "}";
  return fmt::format("{}:[{}]", json_quoted(name), out);
}

std::string option_fields(const Option& option) {
  const std::string letter(option.short_name == 0 ? 0 : 1, option.short_name);
  return fmt::format("{},{},{},{}", json_field("long", option.long_name),
                     json_field("short", letter), json_field("value", option.value_name),
                     json_field("help", option.help));
}

std::string positional_fields(const Positional& positional) {
  return fmt::format("{},{},\"required\":{},\"many\":{}", json_field("name", positional.name),
                     json_field("help", positional.help), positional.required, positional.many);
}

std::string example_fields(const Example& example) {
  return json_field("command", example.command) + "," + json_field("does", example.does);
}

std::string json_line(const CommandInfo& info) {
  return fmt::format("{{{},{},\"traces\":{},{},{},{},{},{},\"takes_command\":{}}}\n",
                     json_field("name", info.name), json_field("group", info.group),
                     is_tracing(info), json_field("summary", info.summary),
                     json_field("description", info.description),
                     json_list("positionals", info.positionals, positional_fields),
                     json_list("options", info.options, option_fields),
                     json_list("examples", info.examples, example_fields), info.takes_command);
}

Result<int> run(Session& session, const ListOptions& options, const Trailing& /*unused*/) {
  std::string out;
  if (!options.json) out = padded_line({"COMMAND", "GROUP", "DOES"}, {-14, -16, 0});
  for (const CommandGroup& group : grouped(all_commands()))
    for (const Command* command : group.commands) {
      const CommandInfo& info = command->info;
      out += options.json ? json_line(info)
                          : padded_line({std::string(info.name), std::string(info.group),
                                         std::string(info.summary)},
                                        {-14, -16, 0});
    }
  TRY(session.out().write(out));
  return 0;
}

using O = ListOptions;
constexpr std::array kOptions{
    flag<O, &O::json>(0, "json", "a JSON object a line, with options and examples"),
};
constexpr std::array kExamples{
    Example{"wick list", "every command in a line"},
    Example{"wick list --json", "all that a program can know about them"},
};

}  // namespace

extern constexpr Command list_command = command<ListOptions, run>({
    .name = "list",
    .group = "Wick",
    .summary = "the commands there are",
    .description = "Lists the commands in the order of `wick --help`. As JSON with their options, "
                   "arguments and examples, for completion, wrappers and tests; those that look at "
                   "the running system have \"traces\":true.",
    .options = kOptions,
    .examples = kExamples,
});

}  // namespace wick
