// PathNames: the paths behind the ids that bpf/lib/paths.bpf.h hands out. One thread.
//
//   PathNames names;
//   EventTool<Event> tool{…, .names = &names};    // the shape opens it, and keeps the ring empty
//   names.of(event.path).path                     // "/etc/passwd", "[unknown]"
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "base/ids.h"
#include "base/result.h"
#include "kernel/bpf/bpf_object.h"
#include "kernel/ring.h"
#include "tool/command/option.h"
#include "tool/command/session.h"

namespace wick {

struct FileName {
  std::string path;  // as in /proc/PID/fd: "…/b/c" if it was too long, "/a (deleted)", "pipe:[7]"
  std::string base;  // its last name
  u32 mode = 0;      // as in stat(2)
  bool is_cut = false;
  bool is_loose = false;  // in no directory: a pipe, a memfd

  // bcc's letters: R regular, S socket, O other.
  [[nodiscard]] char type_letter() const;
  // The path, if there is a way to it from the root; else nothing.
  [[nodiscard]] std::string_view rooted_path() const;
};

// A record of the ring; nothing if it is none.
struct ToldPath {
  u64 id = 0;
  FileName name;
};
[[nodiscard]] std::optional<ToldPath> told_path(std::span<const std::byte> record);

class PathNames {
 public:
  // Before the load, and after it. Programs without paths are left alone.
  [[nodiscard]] Status set_constants(BpfObject& object);
  [[nodiscard]] Status open(const BpfObject& object);
  // Takes what was told since: now and then, so that the ring has room.
  [[nodiscard]] Status poll();
  // Valid until the next call of any function here.
  [[nodiscard]] const FileName& of(u64 id);
  // Says how many names were lost or cut, if any.
  void tell_losses(Session& session) const;

  // For poll(), and tests.
  void add(ToldPath told);

 private:
  [[nodiscard]] static u64 random_seed();
  [[nodiscard]] const FileName* find(u64 id);

  std::optional<Ring> ring_;
  u64* lost_in_kernel_ = nullptr;
  u64 lost_ = 0;  // as it stood at the last poll: the program may be gone when it is asked for
  u64 cut_ = 0;
  // The kernel tells names in use again, so the older half may go when there are too many.
  std::unordered_map<u64, FileName> names_;
  std::unordered_map<u64, FileName> older_;
  std::size_t bytes_ = 0;  // of names_
};

// For tools on bpf/lib/file_io.bpf.h.
template <class O>
inline constexpr std::array kAllFilesOption{
    flag<O, &O::all_files>('a', "all-files", "not only regular files: also pipes, sockets, ..."),
};

}  // namespace wick
