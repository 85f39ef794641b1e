// ProcessWatch: the table of processes. Who runs what: lives, mappings, open files, what JIT
// compilers told, so that names can be found after a process is gone. Fed by a ProcessSource. Knows
// nothing of stacks. One thread.
//
//   ProcessSource ──events, /proc──► ProcessWatch ──► ImageTable   who was sampled
//                                                 ──► CodeMaps     which file at which moment
//                                                 ──► OpenFiles    descriptors of these files
//                                                 ──► JitWatch     perf maps, jitdumps
//
//   watch.drain_events();
//   ImageId image = watch.image({pid, start, exec, now}, Sighting::in_user);   // at each new stack
//   watch.touch(image, address, now);                                          // at its addresses
//   watch.find(image, address, now)->file                                      // as often as
//   wanted watch.forget_before(now);                     // when all stacks until then have their
//   names
//
// Bounded for ever: what ended and was not sampled is forgotten soon, what was sampled is forgotten
// when forget_before() says so, and there are limits on what is idle (ProcessBudget).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "process/code_maps.h"
#include "process/image_table.h"
#include "process/jit_watch.h"
#include "process/open_files.h"
#include "process/process_source.h"

namespace wick {

struct ProcessBudget {
  CodeMapsBudget maps;
  std::size_t descriptors = 0;         // in all; 0: as many as we may have
  std::size_t idle_descriptors = 512;  // of files without a sample since the horizon
  std::size_t idle_images = 4096;      // that live, and have no sample since the horizon
};

class ProcessWatch {
 public:
  // Without the kernel's events (no privilege) /proc alone has to do; events_missing() says so.
  explicit ProcessWatch(std::span<const u32> cpus, bool prompt = false);
  explicit ProcessWatch(std::unique_ptr<ProcessSource> source, ProcessBudget budget = {});

  [[nodiscard]] std::vector<int> poll_fds() const { return source_->poll_fds(); }
  void drain_events();

  // Reads the mappings of a process now, whether it will be sampled or not: of a started command
  // before its exec.
  void remember(u32 pid);
  // From now on only these processes, and what they fork, are told of by take_changed().
  void follow_only(std::span<const u32> pids);
  // Processes whose mappings changed since the last call, and what is mapped now. For unwinding.
  [[nodiscard]] std::vector<u32> take_changed();
  // Processes that ended since the last call. The first call gives none.
  [[nodiscard]] std::vector<u32> take_ended();
  [[nodiscard]] std::vector<CodeMapping> current_mappings(u32 pid) const {
    return maps_.current(pid);
  }
  // A descriptor of one's own for the file of a mapping of a living process.
  [[nodiscard]] std::optional<Fd> open_copy(u32 pid, const CodeMapping& mapping);

  // Called with every new stack's owner.
  ImageId image(const ImageInfo& info, Sighting sighting);
  // Makes sure the file behind an address is open while it can be.
  void touch(ImageId image, u64 address, u64 time_ns);
  // Every stack that was seen before this moment has its names: nothing earlier is asked for.
  void forget_before(u64 time_ns);

  // Of an image that was forgotten: PID 0.
  [[nodiscard]] const ImageInfo& info(ImageId id) const { return images_.info(id); }
  [[nodiscard]] bool has_image(ImageId id) const { return images_.contains(id); }
  // How many there ever were; they are numbered from 0.
  [[nodiscard]] std::size_t image_count() const { return images_.met(); }
  [[nodiscard]] std::optional<Place> find(ImageId image, u64 address, u64 time_ns) const;
  // Some mapping of it is known, so an address outside all of them is not code.
  [[nodiscard]] bool knows_code(ImageId image) const;

  // Of a file that was forgotten: one without a path.
  [[nodiscard]] const CodeFile& file(FileId id) const { return maps_.files().get(id); }
  [[nodiscard]] bool has_file(FileId id) const { return maps_.files().contains(id); }
  // How many there ever were.
  [[nodiscard]] std::size_t file_count() const { return maps_.files().met(); }
  // nullptr: it could not be opened while its process lived. Good until the next call of anything.
  [[nodiscard]] const OpenFile* open_file(FileId id) const { return open_.find(id); }

  // Code that was written at run time, of the images that touch() saw running it.
  [[nodiscard]] JitWatch& jit() { return jit_; }

  [[nodiscard]] u64 events_lost() const { return source_->events_lost(); }
  [[nodiscard]] bool events_missing() const { return source_->events_missing(); }
  // Processes that were gone before their mappings could be read.
  [[nodiscard]] u64 unread_processes() const { return unread_processes_; }

  // What it holds now.
  struct Usage {
    std::size_t processes = 0;
    std::size_t lives = 0;
    std::size_t map_bytes = 0;
    std::size_t images = 0;
    std::size_t files = 0;
    std::size_t open_files = 0;
    std::size_t jit_processes = 0;
  };
  [[nodiscard]] Usage usage() const;

 private:
  void apply(const MappingEvent& event);
  void meet(const ImageInfo& info);
  bool read_snapshot(u32 pid, u64 time_ns);
  const OpenFile* open_file(u32 pid, const CodeMapping& mapping);
  [[nodiscard]] FileId mapped_file(const MappingEvent& event);
  void touch_jit(ImageId image, u64 time_ns);
  void changed(u32 pid);
  void sweep_files();

  std::unique_ptr<ProcessSource> source_;
  ProcessBudget budget_;
  std::vector<MappingEvent> batch_;
  CodeMaps maps_;
  JitWatch jit_;
  ImageTable images_;
  OpenFiles open_;
  u64 horizon_ns_ = 0;
  u64 unread_processes_ = 0;

  bool follows_all_ = true;
  bool tells_ended_ = false;
  std::unordered_set<u32> followed_;
  std::unordered_set<u32> changed_;
  std::unordered_map<u32, u64> forked_;  // PID -> when; until it execs, ends or settles
  std::vector<u32> ended_;
};

}  // namespace wick
