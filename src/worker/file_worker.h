// FileWorker: asks a confined child process what is in strangers' files, so that a parser that
// such a file takes over holds nothing of ours. This side parses nothing but the answers.
//
//   FileWorker worker{{.launch = WorkerLaunch::exec, .budget = run_budget}};
//   worker.start();                        // returns at once; the first question does it too
//   TableAnswer table = TRY(worker.table(file, is_known, stop));
//
// A worker that dies is started again and asked once more, since it may not have been the file's
// doing. A file that ends it twice, or lets it hang, is given up: RunBudget names it with the
// cause. Where no worker can be confined, files are read in this process: unconfined() says why.
// One thread at a time. docs/decisions/0036-confined-worker.md.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/budget.h"
#include "proc/process_root.h"
#include "worker/file_work.h"
#include "worker/name_work.h"
#include "worker/worker_process.h"

namespace wick {

struct RequestHeader;

struct FileWorkerOptions {
  WorkerLaunch launch = WorkerLaunch::none;
  DigestSecret secret = DigestSecret::make();
  std::shared_ptr<RunBudget> budget;  // never null
  std::string crash_on;  // a path for tests: the worker dies when it is asked about this file
  u64 hang_ns = 5'000'000'000;  // without using CPU time, and it is taken to hang
};

struct FileWorkerStats {
  u64 starts = 0;
  u64 cpu_ns = 0;  // of all workers, for answers that came
};

class FileWorker {
 public:
  using Stop = std::function<bool()>;

  explicit FileWorker(FileWorkerOptions options);
  FileWorker(const FileWorker&) = delete;
  FileWorker& operator=(const FileWorker&) = delete;
  FileWorker(FileWorker&&) = delete;
  FileWorker& operator=(FileWorker&&) = delete;
  ~FileWorker();

  // Starts a worker, unless there is one.
  void start();
  // An unwind table; of an invalid `file`: the vdso's. An error: the file was given up, or `stop`
  // said so.
  [[nodiscard]] Result<TableAnswer> table(
      const Fd& file, const std::function<bool(const std::string& identity)>& is_known,
      const Stop& stop);

  // Names of places in a file; of an invalid `file`: in the vdso. `root`: of a process that has it.
  [[nodiscard]] Result<NamesAnswer> names(const Fd& file, const NamesQuestion& question,
                                          const ProcessRoot& root, const Stop& stop);

  // Why files are read in this process; empty while they are not.
  [[nodiscard]] const std::string& unconfined() const { return unconfined_; }
  [[nodiscard]] const FileWorkerStats& stats() const { return stats_; }
  // CPU time of all workers so far, their starts included.
  [[nodiscard]] u64 cpu_ns() const { return ended_cpu_ns_ + (process_ ? process_->cpu_ns() : 0); }
  // 0: there is none.
  [[nodiscard]] pid_t pid() const { return process_ ? process_->pid() : 0; }

 private:
  struct Question;
  enum class Outcome : u8 { answered, no_answer, nonsense, died, hung, too_long, stopped };

  [[nodiscard]] RequestHeader header_of(const Fd& file) const;
  // True: the answer came. False: it is to be read in this process.
  [[nodiscard]] Result<bool> try_worker(const Question& question);
  [[nodiscard]] bool is_confined() const { return unconfined_.empty(); }
  // Asks until an answer is accepted.
  [[nodiscard]] Status ask(const Question& question);
  [[nodiscard]] Outcome ask_once(const Question& question);
  [[nodiscard]] Outcome converse(const Question& question);
  // What the worker asks meanwhile. False: it makes no sense.
  [[nodiscard]] bool serve(const Message& message, const Question& question);
  [[nodiscard]] bool greet();
  // Why the file is given up after this; empty: it is asked about once more.
  struct Attempts;
  [[nodiscard]] std::string verdict(Outcome outcome, Attempts& attempts) const;
  // The file's name, for those who read the report.
  [[nodiscard]] static std::string name_of(const Fd& file);

  FileWorkerOptions options_;
  std::optional<WorkerProcess> process_;
  bool greeted_ = false;
  u32 failed_starts_ = 0;
  std::string unconfined_;
  std::string last_end_;
  FileWorkerStats stats_;
  u64 ended_cpu_ns_ = 0;
};

// The path that WICK_TEST_CRASH_ON names: the worker dies when it is asked about that file. Only
// who starts Wick can set it, and it costs them the names of one file.
[[nodiscard]] std::string crash_path_for_tests();

}  // namespace wick
