// CodeMaps: which file an address of a process belonged to at a moment, for processes that may be
// long gone. Fed by the kernel's mapping events and by /proc; asked when stacks are named. Pure
// data, no system calls. One thread.
//
//   pid 7  ──fork──────────exec──────map────map──────────exit     each fork or exec begins a life
//            inherits 3's    new maps only
//
// A life that began before we looked has what /proc said (add_snapshot).
//
// What is kept: lives that go on, and of those that ended
//   - those that were sampled since the horizon (forget_before), however many there are;
//   - the latest ones that were not: their samples may be on their way.
// A life also stays while one that was forked from it lives on its mappings.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "process/code_files.h"
#include "process/mapping_history.h"

namespace wick {

struct Place {
  FileId file;
  u64 file_offset = 0;
  u64 map_start = 0;
  u64 map_end = 0;
  u64 map_offset = 0;
};

struct CodeMapsBudget {
  std::size_t ended_lives = 4096;             // that were not sampled
  std::size_t bytes = std::size_t{64} << 20;  // of all lives; sampled ones may have more
};

class CodeMaps {
 public:
  explicit CodeMaps(CodeMapsBudget budget = {}) : budget_(budget) {}

  [[nodiscard]] CodeFiles& files() { return files_; }
  [[nodiscard]] const CodeFiles& files() const { return files_; }

  void on_fork(u32 pid, u32 parent, u64 time_ns);
  void on_exec(u32 pid, u64 time_ns);
  void on_map(u32 pid, const CodeMapping& mapping);
  void on_exit(u32 pid, u64 time_ns);
  // What /proc says of the life of `pid` that was on at `time_ns`.
  void add_snapshot(u32 pid, u64 time_ns, std::vector<CodeMapping> mappings);
  // The process was sampled at that moment: its life is kept until the horizon passes it.
  void keep(u32 pid, u64 time_ns);
  // Nothing earlier than this is asked for any more.
  void forget_before(u64 time_ns);
  // Forgets files that nothing has mapped and that nobody else needs. Not while the caller has ids
  // of files that it did not map yet.
  void sweep_files(const std::function<bool(FileId)>& is_needed);
  // Files have doubled since the last sweep.
  [[nodiscard]] bool wants_sweep() const { return files_.size() > sweep_at_; }

  // True when the life that is on at `time_ns` can only be known from /proc: it began before we
  // looked, or by a fork without an exec, and no snapshot is there yet.
  [[nodiscard]] bool wants_snapshot(u32 pid, u64 time_ns) const;
  // When the life on at `time_ns` began (0: before we looked): what /proc said is of another life
  // if this changed.
  [[nodiscard]] u64 life_began(u32 pid, u64 time_ns) const;
  // The life that was on at `time_ns` is over.
  [[nodiscard]] bool has_ended(u32 pid, u64 time_ns) const;

  // Every mapping of the life on at `time_ns`, its parents' not included.
  [[nodiscard]] std::vector<CodeMapping> mappings(u32 pid, u64 time_ns) const;
  // What is mapped now, as far as we know: sorted by start, later mappings over earlier ones.
  [[nodiscard]] std::vector<CodeMapping> current(u32 pid) const;
  // There is a mapping, its own or inherited, of the life on at `time_ns`.
  [[nodiscard]] bool knows(u32 pid, u64 time_ns) const;
  [[nodiscard]] std::optional<Place> find(u32 pid, u64 address, u64 time_ns) const;

  [[nodiscard]] std::size_t process_count() const { return processes_.size(); }
  [[nodiscard]] std::size_t life_count() const { return usage_->lives; }
  [[nodiscard]] std::size_t bytes() const { return usage_->bytes; }

 private:
  // Of lives that are in memory, those that only a child has included.
  struct Usage {
    std::size_t lives = 0;
    std::size_t bytes = 0;
  };
  struct Life {
    explicit Life(Usage& usage);
    Life(const Life&) = delete;
    Life& operator=(const Life&) = delete;
    Life(Life&&) = delete;
    Life& operator=(Life&&) = delete;
    ~Life();
    void account();

    u64 began_ns = 0;
    u64 ended_ns = 0;              // 0: not yet
    u64 sampled_ns = 0;            // last time; 0: never
    std::shared_ptr<Life> parent;  // of a fork
    int forks = 0;                 // without an exec, up to here
    bool by_exec = false;
    bool has_snapshot = false;
    std::vector<CodeMapping> snapshot;  // sorted by start, not overlapping
    MappingHistory mapped;              // since it began

   private:
    Usage& usage_;
    std::size_t bytes_ = 0;
  };
  using LifePtr = std::shared_ptr<Life>;
  struct Ended {
    u32 pid;
    std::weak_ptr<Life> life;
  };

  [[nodiscard]] LifePtr new_life(u64 began_ns);
  void begin_life(u32 pid, const LifePtr& life);
  void end_life(u32 pid, const LifePtr& life, u64 time_ns);
  void remove(const Ended& ended);
  void evict_unsampled();
  void inherit(Life& child, const LifePtr& parent);
  [[nodiscard]] const Life* life_at(u32 pid, u64 time_ns) const;
  // One that began before we looked, when nothing else is known.
  [[nodiscard]] const LifePtr& life_for(u32 pid, u64 time_ns);
  [[nodiscard]] std::size_t mapping_limit() const;
  static void collect(const Life& life, u64 time_ns, std::map<u64, CodeMapping>& out);

  CodeMapsBudget budget_;
  CodeFiles files_;
  std::unique_ptr<Usage> usage_ = std::make_unique<Usage>();  // lives point to it
  std::unordered_map<u32, std::vector<LifePtr>> processes_;   // by when they began
  std::deque<Ended> ended_;                                   // not sampled, as they ended
  std::deque<Ended> ended_sampled_;
  u64 horizon_ns_ = 0;
  std::size_t sweep_at_ = 4096;
};

}  // namespace wick
