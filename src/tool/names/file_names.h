// FileNames: the names of addresses in one file that were asked for so far. NameCache: those of
// many files, the least recently used out when they have more bytes than they may. Pure data. Used
// by Symbolizer. One thread.
//
//   NameCache cache{64 << 20};
//   FileNames& libc = cache.use(identity);
//   if (const auto known = libc.find(point)) …
//   else libc.add(point, name);
//   cache.shrink();                                    // no reference is good after this
#pragma once

#include <list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "profile/string_table.h"
#include "worker/file_worker.h"

namespace wick {

// A small file can name every address with four kilobytes; once a table holds many of them, the
// next ones are cut short.
[[nodiscard]] std::string_view bounded_name(const StringTable& strings, std::string_view name);

// A function, or a call that was inlined there.
struct PlaceFrame {
  std::string_view function;  // empty: not known
  std::string_view file;      // of the source; empty when not known
  u32 line = 0;
};

struct PlaceName {
  PlaceFrame frame;                   // the function itself
  std::vector<PlaceFrame> inlined;    // innermost first
  u64 vaddr = 0;                      // as the file counts
  std::optional<u64> function_start;  // where a symbol told
  bool is_broken = false;             // no call returns there
};

// What is known of a file besides its names.
struct FileFacts {
  bool readable = false;  // it is open, and a program; otherwise nothing else is set
  std::string build_id;
  bool lines_looked_for = false;
  bool lines_found = false;
  bool lines_damaged = false;
  u64 lines_without_dwo = 0;  // units whose .dwo was not found
};

class FileNames {
 public:
  [[nodiscard]] bool contains(const NamePlace& point) const;
  // The texts are good as long as this is.
  [[nodiscard]] std::optional<PlaceName> find(const NamePlace& point) const;
  void add(const NamePlace& point, const PlaceName& name);

  [[nodiscard]] FileFacts& facts() { return facts_; }
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Frame {
    StringId function;
    StringId file;
    u32 line = 0;
  };
  struct Point {
    u32 first = 0;  // in frames_: the function itself, then inlined calls
    u32 count = 0;
    u64 vaddr = 0;
    u64 function_start = 0;
    bool has_start = false;
    bool is_broken = false;
  };
  [[nodiscard]] static u64 key_of(const NamePlace& point) {
    return point.file_offset * 2 + (point.is_return ? 1 : 0);
  }
  [[nodiscard]] PlaceFrame text_of(const Frame& frame) const;
  void add_frame(const PlaceFrame& frame);

  FileFacts facts_;
  StringTable strings_;
  std::vector<Frame> frames_;
  std::unordered_map<u64, Point> points_;
};

// Two files of the same identity have the same bytes. Kept by device and inode as long as nobody
// writes to it.
struct NamedFileIdentity {
  u64 device = 0;
  u64 inode = 0;
  u64 bytes = 0;
  u64 changed_ns = 0;
  auto operator<=>(const NamedFileIdentity&) const = default;
};

class NameCache {
 public:
  explicit NameCache(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // A new one is empty. Good until shrink().
  [[nodiscard]] FileNames& use(const NamedFileIdentity& file);
  // Evicts files until the rest is within the limit.
  void shrink();
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t size() const { return files_.size(); }
  [[nodiscard]] u64 evicted() const { return evicted_; }

 private:
  struct Entry {
    NamedFileIdentity identity;
    FileNames names;
    std::size_t bytes = 0;  // as it was counted last
  };

  std::list<Entry> files_;  // the latest first
  std::map<NamedFileIdentity, std::list<Entry>::iterator> by_identity_;
  std::size_t limit_bytes_;
  std::size_t bytes_ = 0;
  u64 evicted_ = 0;
};

}  // namespace wick
