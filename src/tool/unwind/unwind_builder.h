// UnwindBuilder: has unwind tables of files made by a confined worker (worker/file_worker), and
// loads them, on a thread of its own.
//
//   auto builder = TRY(UnwindBuilder::create(256 << 20));
//   builder->request_early(mapped_files(pid));    // before the load: both take a while
//   …
//   builder.request(key, std::move(fd));     // returns at once
//   …  builder.done_fd() becomes readable
//   for (BuiltTable& table : builder.take_done()) …
//
// The smallest file is next: most are ready in a millisecond, and do not wait for a compiler's. A
// file is asked for once; equal files (worker/table_identity.h) share a table. The thread ends with
// the object, or by stop(): a table in the making is given up.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "base/fd.h"
#include "runtime/runtime_watch.h"
#include "tool/unwind/unwind_memory.h"
#include "worker/file_worker.h"

namespace wick {

enum class TableState : u8 {
  waiting,  // asked for
  ready,
  by_pointer,  // Go: its frame pointers are good, its tables are not
  none,        // the file has no call frame information, or it cannot be read
  no_room,     // --unwind-memory is used up
  evicted,     // was ready; made room for others
};

// What a mapping of the file needs to know of its table.
struct FileTable {
  TableState state = TableState::waiting;
  TablePlace place;
  u64 base = 0;
  u64 limit = 0;
  std::vector<ElfSegment> code;  // to turn file offsets into the table's addresses
  std::string build_id;
  u64 words = 0;                               // it needs, or has
  bool wanted = false;                         // given up, and missed since
  std::shared_ptr<const RuntimeFile> runtime;  // the interpreter in it; most have none

  [[nodiscard]] std::optional<u64> vaddr_of(u64 file_offset) const;
};

// Which file it is, as long as nobody writes to it. All 0: it is not known.
struct FileIdentity {
  u64 device = 0;
  u64 inode = 0;
  u64 bytes = 0;
  u64 changed_ns = 0;
  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};
[[nodiscard]] FileIdentity identity_of(const Fd& fd);

struct BuiltTable {
  u32 key = 0;
  FileTable table;
  bool shared = false;  // built for another file before; may have been given up since
  FileIdentity file;
};

struct BuilderStats {
  u64 tables = 0;
  u64 rows = 0;
  u64 cpu_ns = 0;  // of the thread, and of its worker for tables that came
  u64 no_room = 0;
  u64 worker_ns = 0;  // CPU time of its worker
};

class UnwindBuilder {
 public:
  static constexpr u32 kEarly = ~u32{0};  // a key of no file

  [[nodiscard]] static Result<std::unique_ptr<UnwindBuilder>> create(u64 memory_limit,
                                                                     FileWorkerOptions worker);
  UnwindBuilder(const UnwindBuilder&) = delete;
  UnwindBuilder& operator=(const UnwindBuilder&) = delete;
  UnwindBuilder(UnwindBuilder&&) = delete;
  UnwindBuilder& operator=(UnwindBuilder&&) = delete;
  ~UnwindBuilder();

  void request(u32 key, Fd fd);
  // Nobody needs tables any more: returns at once, and the thread soon ends.
  void stop();
  // Builds tables of files before anybody asks for them by a key.
  void request_early(std::vector<Fd> files);
  // Waits for those, `milliseconds` at most.
  void wait_for_early(int milliseconds);
  // The kernel's own page of code that every process has; built from ours.
  void request_vdso(u32 key);
  // The table made of files of this identity is gone: the next request makes a new one.
  void forget(const std::string& build_id);
  [[nodiscard]] int done_fd() const { return done_event_.get(); }
  [[nodiscard]] std::vector<BuiltTable> take_done();
  [[nodiscard]] BuilderStats stats() const;
  [[nodiscard]] UnwindMemory& memory() { return memory_; }
  [[nodiscard]] const UnwindMemory& memory() const { return memory_; }

 private:
  struct Request {
    u32 key;
    Fd fd;  // none: the vdso
    FileIdentity file;
  };

  UnwindBuilder(Fd map, u64 memory_limit, FileWorkerOptions worker);
  void work();
  [[nodiscard]] BuiltTable build(Request request);
  // Of an equal file; nothing: there is none.
  [[nodiscard]] std::optional<FileTable> known_table(const std::string& identity) const;
  [[nodiscard]] FileTable store(TableAnswer answer);

  UnwindMemory memory_;
  Fd done_event_;
  std::shared_ptr<RunBudget> budget_;  // never null
  FileWorker worker_;                  // the thread's
  std::atomic<bool> stopping_ = false;

  mutable std::mutex lock_;                                 // for all that follows
  std::unordered_map<std::string, FileTable> by_build_id_;  // those that are ready
  std::condition_variable wake_;
  bool ending_ = false;
  std::vector<Request> requests_;
  std::vector<BuiltTable> done_;
  std::size_t early_left_ = 0;
  std::condition_variable early_done_;
  BuilderStats stats_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace wick
