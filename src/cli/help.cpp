#include "cli/help.h"

#include <fmt/format.h>

#include <vector>

#include "tool/command/command_groups.h"

namespace wick {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kHelpColumn = 28;

// Breaks `text` at spaces so that it fits from `indent` to the width; the first line continues
// where the caller is.
std::string wrap(std::string_view text, std::size_t indent, std::size_t used) {
  std::string out;
  std::size_t column = used;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    if (column + word.size() + 1 > kWidth && column > indent) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > used || !out.empty()) {
      out += ' ';
      column++;
    }
    out += word;
    column += word.size();
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::string usage_line(const CommandInfo& info) {
  std::string line = fmt::format("wick {} [options]", info.name);
  for (const Positional& positional : info.positionals)
    line += fmt::format(" {}{}{}{}", positional.required ? "" : "[", positional.name,
                        positional.many ? "..." : "", positional.required ? "" : "]");
  if (info.takes_command) line += " [-- command args...]";
  return line;
}

std::string option_head(const Option& option) {
  std::string head = option.short_name != 0 ? fmt::format("-{}, ", option.short_name) : "    ";
  head += fmt::format("--{}", option.long_name);
  if (!option.value_name.empty()) head += fmt::format(" {}", option.value_name);
  return head;
}

std::string item(std::string_view head, std::string_view help) {
  std::string out = fmt::format("  {}", head);
  if (out.size() + 2 > kHelpColumn)
    out += "\n" + std::string(kHelpColumn, ' ');
  else
    out.append(kHelpColumn - out.size(), ' ');
  return out + wrap(help, kHelpColumn, kHelpColumn) + "\n";
}

const Option kHelpOption{'h', "help", {}, "show this", nullptr};

std::vector<Option> with_help(const CommandInfo& info) {
  std::vector<Option> options(info.options.begin(), info.options.end());
  options.push_back(kHelpOption);
  return options;
}

// roff reads a leading '.' or a backslash or '-' as its own.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

}  // namespace

std::string overview(std::span<const Command* const> commands) {
  std::string out =
      "wick: where a Linux system's time goes\n\n"
      "usage: wick COMMAND [options]\n"
      "       wick COMMAND --help       options and examples of one command\n";
  for (const CommandGroup& group : grouped(commands)) {
    out += fmt::format("\n{}\n", group.name);
    for (const Command* command : group.commands)
      out += item(command->info.name, command->info.summary);
  }
  return out +
         "\nFirst time here? `wick doctor` says what this kernel allows, `wick profile 5` shows "
         "the CPU.\n";
}

std::string help_text(const CommandInfo& info) {
  std::string out = fmt::format("wick {}: {}\n\nusage: {}\n\n{}\n\noptions:\n", info.name,
                                info.summary, usage_line(info), wrap(info.description, 0, 0));
  for (const Positional& positional : info.positionals)
    out += item(positional.name, positional.help);
  for (const Option& option : with_help(info)) out += item(option_head(option), option.help);
  out += "\nexamples:\n";
  for (const Example& example : info.examples)
    out += fmt::format("  {}\n      {}\n", example.command, wrap(example.does, 6, 6));
  return out;
}

std::string markdown_page(const CommandInfo& info) {
  std::string out = fmt::format(
      "<!-- Made by `make docs` from the command's declaration; do not edit. -->\n"
      "# wick {}\n\n{}.\n\n```\n{}\n```\n\n{}\n\n## Options\n\n| option | meaning |\n|---|---|\n",
      info.name, info.summary, usage_line(info), info.description);
  const auto cell = [](std::string_view text) {
    std::string escaped;
    for (const char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
    return escaped;
  };
  for (const Positional& positional : info.positionals)
    out += fmt::format("| `{}` | {} |\n", positional.name, cell(positional.help));
  for (const Option& option : info.options) {
    std::string head = option_head(option);
    head.erase(0, head.find_first_not_of(' '));
    out += fmt::format("| `{}` | {} |\n", cell(head), cell(option.help));
  }
  out += "\n## Examples\n\n";
  for (const Example& example : info.examples)
    out += fmt::format("```\n{}\n```\n{}.\n\n", example.command, example.does);
  out.pop_back();
  return out;
}

std::string man_page(const CommandInfo& info) {
  std::string out = fmt::format(
      ".TH WICK\\-{0} 1 \"\" \"Wick\" \"Wick\"\n.SH NAME\nwick\\-{0} \\- {1}\n.SH "
      "SYNOPSIS\n{2}\n.SH DESCRIPTION\n{3}\n"
      ".SH OPTIONS\n",
      roff(info.name), roff(info.summary), roff(usage_line(info)), roff(info.description));
  for (const Positional& positional : info.positionals)
    out += fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(positional.name), roff(positional.help));
  for (const Option& option : with_help(info)) {
    std::string head = option_head(option);
    head.erase(0, head.find_first_not_of(' '));
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(head), roff(option.help));
  }
  out += ".SH EXAMPLES\n";
  for (const Example& example : info.examples)
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(example.command), roff(example.does));
  return out;
}

std::string bash_completion(std::span<const Command* const> commands) {
  std::string names;
  std::string cases;
  for (const Command* command : commands) {
    names += fmt::format("{} ", command->info.name);
    std::string words;
    for (const Option& option : with_help(command->info))
      words += fmt::format("--{} ", option.long_name);
    words.pop_back();
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->info.name, words);
  }
  return fmt::format(
      "# bash completion for wick: source it, or put it into /etc/bash_completion.d/wick\n"
      "_wick() {{\n"
      "  local words=\"{}help completion\"\n"
      "  if [ \"$COMP_CWORD\" -gt 1 ]; then\n"
      "    case ${{COMP_WORDS[1]}} in\n{}    esac\n"
      "  fi\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\")\n"
      "  [ ${{#COMPREPLY[@]}} -gt 0 ] || compopt -o default\n"
      "}}\n"
      "complete -F _wick wick\n",
      names, cases);
}

}  // namespace wick
