// ChildProcess: `-- command args`. Started, it waits before its first instruction until go(); what
// is armed in between sees all of it. No shell is involved.
//
//   ChildProcess child = TRY(ChildProcess::start({"ls", "-l"}));
//   filter_by(child.pid());
//   TRY(child.go());                 // fails when the command cannot be run
//   poll(child.exit_fd());           // readable when it has ended
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct ChildEnd {
  int status = 0;   // as wait(2) tells it
  u64 user_ns = 0;  // its own CPU time, and that of the children it waited for
  u64 system_ns = 0;

  // A shell's $?: the exit status, or 128 and the number of the signal that ended it.
  [[nodiscard]] int shell_status() const;
};

class ChildProcess {
 public:
  [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& command);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  // What still runs is asked to end (SIGTERM): nothing we started stays behind.
  ~ChildProcess();

  [[nodiscard]] int pid() const { return pid_; }
  [[nodiscard]] Status go();
  [[nodiscard]] int exit_fd() const { return pidfd_.get(); }
  // Nothing while it runs.
  [[nodiscard]] std::optional<ChildEnd> ended();
  // Asks it to end (SIGTERM) and waits a second for that.
  [[nodiscard]] std::optional<ChildEnd> end_now();
  // Words for how it ended: empty when it went well, or still runs.
  [[nodiscard]] std::string how_it_ended();

 private:
  ChildProcess(int pid, Fd pidfd, Fd go, Fd failed, std::string name)
      : pid_(pid),
        pidfd_(std::move(pidfd)),
        go_(std::move(go)),
        failed_(std::move(failed)),
        name_(std::move(name)) {}

  int pid_;
  Fd pidfd_;
  Fd go_;      // a byte written here starts the command
  Fd failed_;  // the errno of a failed exec comes out here; end of file means it runs
  std::string name_;
  bool reaped_ = false;
  std::optional<ChildEnd> end_;
};

}  // namespace wick
