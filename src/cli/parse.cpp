#include "cli/parse.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstring>

namespace wick {
namespace {

std::string flag_names(const Option& option) {
  std::string names = fmt::format("--{}", option.long_name);
  if (option.short_name != 0) names = fmt::format("-{},{}", option.short_name, names);
  return names;
}

// As the person knows it, for errors: "-F" or "--cgroup".
std::string spoken(const Option& option) {
  return option.short_name != 0 ? fmt::format("-{}", option.short_name)
                                : fmt::format("--{}", option.long_name);
}

// CLI11 tells them from the last to the first. A pattern the shell made many names of is told by
// the first of them.
std::string unexpected_words(const std::string& reversed) {
  constexpr std::size_t kLongest = 100;
  std::vector<std::string_view> words = split(reversed, ' ');
  std::string out;
  for (; !words.empty() && out.size() < kLongest; words.pop_back())
    out += ' ' + printable(words.back());
  return words.empty() ? out : out + " …";
}

// What CLI11 found wrong, in our words.
Error explain(const CLI::ParseError& error, const CommandInfo& info) {
  std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::size_t colon = what.find(": ");
    what = "no such option or argument:" +
           unexpected_words(colon == std::string::npos ? what : what.substr(colon + 2));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    what = what.substr(0, what.find(':')) + " needs a value";
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    what = what.substr(0, what.find(' ')) + " is missing";
  std::ranges::replace(what, '\n', ' ');
  return {.message = what,
          .code = 0,
          .hint = fmt::format("see `wick {} --help`", info.name),
          .kind = ErrorKind::usage};
}

// `wick stat ls -l`: where no word can stand for anything else, the first one begins the command.
bool takes_bare_command(const CommandInfo& info) {
  return info.takes_command && info.positionals.empty();
}

// The words CLI11 had no use for, put in front of those behind `--`: that one was the command's.
Status add_bare_command(const std::vector<std::string>& words, bool dashes, Trailing& trailing) {
  if (words.empty()) return {};
  if (words.front().starts_with('-'))
    return fail_usage("no such option or argument: " + printable(words.front()), "see `--help`");
  if (dashes) trailing.insert(trailing.begin(), "--");
  trailing.insert(trailing.begin(), words.begin(), words.end());
  return {};
}

void declare(CLI::App& app, const CommandInfo& info, ParsedLine& line) {
  app.set_help_flag();
  app.add_flag("-h,--help", line.wants_help);
  for (const Option& option : info.options) {
    const auto keep = [&line, &option](const std::string& value) {
      line.invocation.settings.push_back({spoken(option), option.set, value});
    };
    if (option.value_name.empty())
      app.add_flag_callback(flag_names(option), [keep] { keep(""); });
    else
      app.add_option_function<std::vector<std::string>>(flag_names(option),
                                                        [keep](const auto& values) {
                                                          for (const std::string& value : values)
                                                            keep(value);
                                                        })
          ->expected(1)
          ->take_all()
          ->allow_extra_args(false);
  }
  for (const Positional& positional : info.positionals) {
    auto* option = app.add_option_function<std::vector<std::string>>(
        std::string(positional.name), [&line, &positional](const auto& values) {
          for (const std::string& value : values)
            line.invocation.settings.push_back(
                {std::string(positional.name), positional.set, value});
        });
    option->expected(1, positional.many ? CLI::detail::expected_max_vector_size : 1);
    option->allow_extra_args(positional.many);  // else the first would take them all
    option->required(positional.required);
  }
}

}  // namespace

Result<ParsedLine> parse_line(const CommandInfo& info, std::span<char* const> words) {
  ParsedLine line;
  const auto dashes =
      std::ranges::find_if(words, [](const char* word) { return std::strcmp(word, "--") == 0; });
  if (dashes != words.end()) {
    line.invocation.trailing.assign(dashes + 1, words.end());
    if (!info.takes_command)
      return fail_usage(fmt::format("`--` has no meaning for {}", info.name));
  }
  // CLI11 takes them from the back.
  std::vector<std::string> own(words.begin(), dashes);
  std::ranges::reverse(own);
  CLI::App app;
  declare(app, info, line);
  app.prefix_command(takes_bare_command(info));
  try {
    app.parse(std::move(own));
  } catch (const CLI::ParseError& error) {
    // A person who asks for help gets it, whatever else is on the line.
    if (line.wants_help) return line;
    return std::unexpected(explain(error, info));
  }
  if (line.wants_help) return line;
  TRY(add_bare_command(app.remaining(), dashes != words.end(), line.invocation.trailing));
  if (dashes != words.end() && line.invocation.trailing.empty())
    return fail_usage("no command behind `--`");
  return line;
}

}  // namespace wick
