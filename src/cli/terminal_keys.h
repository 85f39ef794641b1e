// TerminalKeys: keys of the terminal on standard input, one by one, not shown as they are typed.
// For that the terminal is put into another mode; it gets its own back however the process ends,
// and while it is stopped (Ctrl-Z). There is one a process.
//
//   keys.turn_on();
//   while (poll(fd)) if (char key = keys.next()) …
//   keys.turn_off();
#pragma once

#include <string>

namespace wick {

class TerminalKeys {
 public:
  TerminalKeys() = default;
  TerminalKeys(const TerminalKeys&) = delete;
  TerminalKeys& operator=(const TerminalKeys&) = delete;
  ~TerminalKeys() { turn_off(); }

  void turn_on();
  void turn_off();
  // Standard input, or -1 when no keys come from there.
  [[nodiscard]] int fd() const;
  // 0: none. Arrows are '<' and '>'; '\f' also after the window changed or the process went on.
  [[nodiscard]] char next();

  // For a signal handler that ends the process at once.
  static void give_back_terminal();

 private:
  std::string typed_;  // read, not yet told
  bool is_on_ = false;
};

// Is the terminal on `fd` another job's at the moment?
[[nodiscard]] bool is_in_background(int fd);

}  // namespace wick
