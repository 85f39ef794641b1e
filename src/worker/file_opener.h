// FileOpener: opens strangers' files in a process of its own, because an open can hang for ever: a
// FUSE or NFS file whose server does not answer cannot be waited for, and not even be given up by
// kill. When the opener does not answer it is left behind and another one is started; files of that
// device are not opened any more. It has our rights and parses nothing. One thread at a time.
//
//   FileOpener opener{{.launch = WorkerLaunch::exec, .budget = run_budget}};
//   MappedFile file = TRY(opener.open_mapped(pid, mapping));
//
// Where no opener can be started, or it would have fewer rights than we, files are opened in this
// process. docs/decisions/0036-confined-worker.md.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/budget.h"
#include "proc/mapped_file.h"
#include "worker/worker_process.h"

namespace wick {

struct FileOpenerOptions {
  WorkerLaunch launch = WorkerLaunch::none;
  std::shared_ptr<RunBudget> budget;  // never null; remembers files that hang
  // Samples are taken meanwhile, but not read: their buffer holds half a second of the worst case.
  u64 deadline_ns = 400'000'000;
};

class FileOpener final : public MappedFileOpener {
 public:
  explicit FileOpener(FileOpenerOptions options);

  // Starts the process, unless there is one.
  void start();
  Result<MappedFile> open_mapped(u32 pid, const ProcMapping& mapping) override;

  [[nodiscard]] u64 starts() const { return starts_; }
  [[nodiscard]] u64 cpu_ns() const { return ended_cpu_ns_ + (process_ ? process_->cpu_ns() : 0); }
  // 0: there is none.
  [[nodiscard]] pid_t pid() const { return process_ ? process_->pid() : 0; }

 private:
  enum class Outcome : u8 { answered, died, hung };

  [[nodiscard]] Outcome ask(std::span<const std::byte> request, Message& answer);
  [[nodiscard]] bool greet();
  void drop();

  FileOpenerOptions options_;
  std::optional<WorkerProcess> process_;
  bool greeted_ = false;
  bool here_ = false;  // files are opened in this process
  u32 failed_starts_ = 0;
  u64 starts_ = 0;
  u64 ended_cpu_ns_ = 0;
  std::set<std::pair<u32, u32>> hung_devices_;
};

}  // namespace wick
