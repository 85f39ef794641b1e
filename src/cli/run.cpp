#include "cli/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <string>
#include <system_error>

#include "base/clock.h"
#include "base/fd.h"
#include "base/memory_reserve.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/terminal_session.h"
#include "kernel/own_privileges.h"
#include "tool/command/command_groups.h"

namespace wick {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

const Command* find_command(std::string_view name) {
  for (const Command* command : all_commands())
    if (command->info.name == name) return command;
  return nullptr;
}

std::string joined(std::span<char* const> words) {
  std::string line;
  for (const char* word : words) line += (line.empty() ? "" : " ") + std::string(word);
  return line;
}

int print(Session& session, const std::string& text) {
  return session.out().write(text) ? 0 : kFailed;
}

int tell(Session& session, std::string_view command, const Error& error) {
  // `| head` took what it wanted.
  if (error.code == EPIPE) return 0;
  session.note(fmt::format("{}: {}", command, error.text()));
  return error.kind == ErrorKind::usage ? kUsage : kFailed;
}

// `doctor` tries everything; the others that do not trace only read what they are given.
PrivilegeNeed privileges_of(const CommandInfo& info) {
  return is_tracing(info) || info.name == "doctor" ? PrivilegeNeed::tracing : PrivilegeNeed::files;
}

int run_command(TerminalSession& session, const Command& command, std::span<char* const> words) {
  session.set_command_name(command.info.name);
  const auto line = parse_line(command.info, words);
  if (!line) return tell(session, command.info.name, line.error());
  if (line->wants_help) return print(session, help_text(command.info));
  if (const Status kept = keep_privileges(privileges_of(command.info)); !kept)
    return tell(session, command.info.name, kept.error());
  const auto status = command.invoke(session, line->invocation);
  if (memory_ran_out())
    session.note(
        fmt::format("{}: memory ran out: it ended early, with what there was — see `ulimit -v`",
                    command.info.name));
  if (!status) return tell(session, command.info.name, status.error());
  return memory_ran_out() ? std::max(*status, kFailed) : *status;
}

int unknown_command(Session& session, std::string_view name) {
  std::string near;
  for (const Command* command : all_commands())
    if (!name.empty() && command->info.name.starts_with(name.substr(0, 3)))
      near += fmt::format(" `wick {}`?", command->info.name);
  session.note(
      fmt::format("no command '{}'{}", printable(name),
                  near.empty() ? " — `wick --help` lists them" : " — did you mean" + near));
  return kUsage;
}

// wick help [NAME] [--markdown | --man]; wick completion.
int help_command(Session& session, std::span<char* const> words) {
  if (words.empty()) return print(session, overview(all_commands()));
  const Command* command = find_command(words.front());
  if (command == nullptr) return unknown_command(session, words.front());
  const std::string_view form = words.size() > 1 ? words[1] : "";
  if (form == "--markdown") return print(session, markdown_page(command->info));
  if (form == "--man") return print(session, man_page(command->info));
  return print(session, help_text(command->info));
}

// Who closed a standard stream (`>&-`) would have our next file take its number, and text be
// written into it. What takes it here can be neither written nor read, so that whoever tries says
// so; a command we start has it closed again.
void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    const int wrong_way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    // The lowest number that is free is this one.
    [[maybe_unused]] const int held = ::open("/dev/null", wrong_way | O_CLOEXEC);
  }
}

// No memory, no thread: what the standard library throws. No more words than there are.
int tell_exception(std::string_view what) {
  for (const std::string_view piece : {std::string_view{"wick: "}, what, std::string_view{"\n"}})
      [[maybe_unused]]
    const Status put = write_all(STDERR_FILENO, piece);
  return kFailed;
}

int run_words(std::span<char* const> words) {
  TerminalSession session{monotonic_ns(), joined(words)};
  std::string_view called = words.empty() ? "wick" : words.front();
  called.remove_prefix(called.find_last_of('/') + 1);
  // Installed as `profile`, it is that command.
  if (const Command* command = find_command(called))
    return run_command(session, *command, words.subspan(1));
  if (words.size() < 2) {
    session.note("no command given\n" + overview(all_commands()));
    return kUsage;
  }
  const std::string_view name = words[1];
  const std::span rest = words.subspan(2);
  if (name == "--help" || name == "-h" || name == "help") return help_command(session, rest);
  if (name == "--version") return print(session, "wick " WICK_VERSION "\n");
  if (name == "completion") return print(session, bash_completion(all_commands()));
  if (const Command* command = find_command(name)) return run_command(session, *command, rest);
  return unknown_command(session, name);
}

}  // namespace

int run_command_line(std::span<char* const> words) {
  hold_standard_streams();
  try {
    return run_words(words);
  } catch (const std::bad_alloc&) {
    return tell_exception("out of memory; nothing was written — see `ulimit -v`, `free`");
  } catch (const std::system_error& error) {
    return tell_exception(error.what());
  }
}

}  // namespace wick
