// ProcessWatch: knows the processes that were sampled, as long as they live: their mappings and
// open files, so that names can be found after they are gone. Feeds CodeMaps from the kernel's
// events and from /proc. One thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "kernel/mapping_events.h"
#include "proc/process_root.h"
#include "process/code_maps.h"
#include "process/jit_watch.h"

namespace wick {

struct ImageInfo {
  u32 pid = 0;
  u64 start_ns = 0;
  u64 exec_id = 0;
  u64 seen_ns = 0;  // first sample with user frames
  bool operator==(const ImageInfo& other) const {
    return pid == other.pid && start_ns == other.start_ns && exec_id == other.exec_id;
  }
};

// How a process was sampled, from what tells nothing about its code to what tells most.
enum class Sighting : u8 { no_code, in_kernel, in_user };

struct OpenFile {
  enum class State : u8 { unknown, open, failed };
  State state = State::unknown;
  Fd fd;
  u64 bytes = 0;  // when it was opened
  u64 changed_ns = 0;
  ProcessRoot root;  // where its process sees "/": debug files are looked for there
};

class ProcessWatch {
 public:
  // Without the kernel's events (no privilege) /proc alone has to do; events_missing() says so.
  explicit ProcessWatch(std::span<const u32> cpus, bool prompt = false);

  [[nodiscard]] std::vector<int> poll_fds() const;
  void drain_events();

  // Reads the mappings of a process now, whether it will be sampled or not: of a started command
  // before its exec.
  void remember(u32 pid);
  // From now on only these processes, and what they fork, are told of by take_changed().
  void follow_only(std::span<const u32> pids);
  // Processes whose mappings changed since the last call, and what is mapped now. For unwinding.
  [[nodiscard]] std::vector<u32> take_changed();
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

  [[nodiscard]] const ImageInfo& info(ImageId id) const { return images_[id.index()]; }
  [[nodiscard]] std::optional<Place> find(ImageId image, u64 address, u64 time_ns) const;
  [[nodiscard]] const CodeFile& file(FileId id) const { return maps_.file(id); }
  [[nodiscard]] std::size_t image_count() const { return images_.size(); }
  [[nodiscard]] std::size_t file_count() const { return maps_.file_count(); }
  // Some mapping of it is known, so an address outside all of them is not code.
  [[nodiscard]] bool knows_code(ImageId image) const;
  // The open file is the caller's from now on.
  [[nodiscard]] OpenFile take_file(FileId id);

  // Code that was written at run time, of the images that touch() saw running it.
  [[nodiscard]] JitWatch& jit() { return jit_; }

  [[nodiscard]] u64 events_lost() const { return events_ ? events_->lost() : 0; }
  [[nodiscard]] bool events_missing() const { return !events_; }
  // Processes that were gone before their mappings could be read.
  [[nodiscard]] u64 unread_processes() const { return unread_processes_; }

 private:
  struct ImageHash {
    std::size_t operator()(const ImageInfo& i) const noexcept {
      return (i.start_ns ^ (u64{i.pid} << 32) ^ (i.exec_id << 17)) * 0x9E3779B97F4A7C15;
    }
  };

  void apply(const MappingEvent& event);
  void meet(const ImageInfo& info);
  bool read_snapshot(u32 pid, u64 time_ns);
  void open_file(u32 pid, const CodeMapping& mapping);
  [[nodiscard]] FileId mapped_file(const MappingEvent& event);
  void touch_jit(ImageId image, u64 time_ns);

  std::optional<MappingEvents> events_;
  std::vector<MappingEvent> batch_;
  CodeMaps maps_;
  JitWatch jit_;
  std::vector<ImageInfo> images_;
  std::vector<Sighting> met_;  // by image: at what its mappings were looked at
  std::unordered_map<ImageInfo, ImageId, ImageHash> image_ids_;
  std::vector<OpenFile> open_files_;
  std::size_t open_count_ = 0;
  std::size_t open_limit_ = 0;
  u64 unread_processes_ = 0;
  void changed(u32 pid);

  bool follows_all_ = true;
  std::unordered_set<u32> followed_;
  std::unordered_set<u32> changed_;
  std::unordered_map<u32, u64> forked_;  // PID -> when; until it execs, ends or settles
  std::vector<u32> ended_;
};

}  // namespace wick
