// ChildProcess: `-- command args`. Started, it waits before its first instruction until go(); what
// is armed in between sees all of it. No shell is involved.
//
//   ChildProcess child = TRY(ChildProcess::start({"ls", "-l"}));
//   filter_by(child.pid());
//   TRY(child.go());                 // fails when the command cannot be run
//   poll(child.exit_fd());           // readable when it has ended
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace wick {

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
};

}  // namespace wick
