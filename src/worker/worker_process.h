// WorkerProcess: one confined child process, from its start to its end. Used by FileWorker, which
// starts another when it dies. It ends with the thread that started it. One thread.
//
//   WorkerProcess worker = TRY(WorkerProcess::start(WorkerLaunch::exec));
//   TRY(worker.exchange().send(…));
//   const WorkerEnd end = worker.end();      // "killed by SIGSEGV"
#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "worker/exchange.h"

namespace wick {

enum class WorkerLaunch : u8 {
  exec,  // this program again: nothing of our memory, maps and locks is in it
  fork,  // for tests, whose program is another one
  none,  // no worker: files are read in this process
};

struct WorkerEnd {
  int signal = 0;          // 0: it ended by itself
  bool abandoned = false;  // it did not end: it waits for a file that cannot be waited for
  [[nodiscard]] std::string text() const;
};

class WorkerProcess {
 public:
  // Returns before it runs; its first message is MessageKind::hello or unconfined.
  [[nodiscard]] static Result<WorkerProcess> start(WorkerLaunch launch);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  [[nodiscard]] const Exchange& exchange() const { return exchange_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  // CPU time it has used.
  [[nodiscard]] u64 cpu_ns() const;
  // Kills it unless it has ended. Does not wait for long.
  WorkerEnd end();

 private:
  WorkerProcess(Exchange exchange, pid_t pid) : exchange_(std::move(exchange)), pid_(pid) {}

  Exchange exchange_;
  pid_t pid_ = -1;  // -1: reaped
};

}  // namespace wick
