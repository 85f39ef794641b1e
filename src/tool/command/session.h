// Session: what a running command may do to the world around it — print, say, ask whether to stop.
// The command line implements it (src/cli/terminal_session.*), tests have their own.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "formats/sink.h"

namespace wick {

class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  // Standard output.
  [[nodiscard]] virtual Sink& out() = 0;
  // Standard error, for results that must not get into the output of a command we run.
  [[nodiscard]] virtual Sink& err() { return out(); }
  // One sentence for the person, on standard error, behind "wick: ".
  virtual void note(std::string_view sentence) = 0;
  // What is going on, redrawn in place on a terminal and nowhere else. Empty: take it away.
  virtual void progress(std::string_view text) = 0;

  // Characters in a line of standard output; 80 when it is no terminal.
  [[nodiscard]] virtual u32 columns() const { return 80; }

  // Lines of the terminal on standard output; 0 when there is none to draw on.
  [[nodiscard]] virtual u32 rows() const { return 0; }

  // From here on keys are heard one by one, where there is a keyboard; until `ignore_keys`.
  virtual void hear_keys() {}
  virtual void ignore_keys() {}
  // Readable when a key was pressed; for poll. -1: there is no keyboard.
  [[nodiscard]] virtual int keys_fd() const { return -1; }
  // The next one; 0: none. '\f' (Ctrl-L) also when the screen is to be drawn again.
  [[nodiscard]] virtual char next_key() { return 0; }
  // As Ctrl-C does.
  virtual void request_stop() {}

  // How often the person asked to stop: Ctrl-C, SIGTERM. Once is "give me the result", twice "go".
  [[nodiscard]] virtual int stop_requests() const = 0;
  // Readable from the first request on; for poll.
  [[nodiscard]] virtual int stop_fd() const = 0;

  [[nodiscard]] virtual u64 started_ns() const = 0;  // CLOCK_MONOTONIC, when main began
  [[nodiscard]] virtual std::string_view command_line() const = 0;
  // The command's name: "syscount".
  [[nodiscard]] virtual std::string_view command_name() const { return "tool"; }
};

// For a command that has nothing else to do: the text, and all is well.
[[nodiscard]] inline Result<int> told(Session& session, std::string_view text) {
  TRY(session.out().write(text));
  return 0;
}

}  // namespace wick
