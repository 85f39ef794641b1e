// MappingHistory: what was mapped where in one image, and when. An index by address whose pieces do
// not overlap; each has the mappings that covered it, one over the other:
//
//   time ▲       ┌─ C ─┐
//        │ ┌──── A ────┼────┐       pieces:  A │ A C │ A
//        └─┴─────┴─────┴────┴─► address
//
// Bounded: a program that maps without end loses its oldest mappings. Pure data. One thread.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "base/ids.h"
#include "process/code_files.h"

namespace wick {

struct CodeMapping {
  u64 start = 0;
  u64 end = 0;
  u64 file_offset = 0;
  FileId file;
  u64 time_ns = 0;  // when it came; of two at one address the later one holds
  bool operator==(const CodeMapping&) const = default;
};

class MappingHistory {
 public:
  // In any order of time.
  void add(const CodeMapping& mapping);
  // Keeps at most `limit` of them: first it gives up what was covered by `horizon_ns`, then what is
  // oldest.
  void shrink(std::size_t limit, u64 horizon_ns);
  // Takes out what came at `time_ns` or later.
  [[nodiscard]] std::vector<CodeMapping> take_since(u64 time_ns);

  [[nodiscard]] const CodeMapping* find(u64 address, u64 time_ns) const;
  // What was mapped at a moment, piece by piece.
  void visit(u64 time_ns, const std::function<void(const CodeMapping& piece)>& visitor) const;
  // Every mapping that came until `time_ns`, each once.
  [[nodiscard]] std::vector<CodeMapping> until(u64 time_ns) const;
  void visit_files(const std::function<void(FileId)>& visitor) const;

  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  // Mappings, once for each piece they are in.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] u64 last_ns() const { return last_ns_; }

 private:
  struct Piece {
    u64 end = 0;
    std::vector<CodeMapping> layers;  // by time, never empty
  };
  using Pieces = std::map<u64, Piece>;

  void split_at(u64 address);
  void cover(Piece& piece, const CodeMapping& mapping);
  [[nodiscard]] bool covers_too_many(const CodeMapping& mapping) const;
  void forget_before(u64 time_ns);
  void drop(const std::function<bool(const CodeMapping&)>& is_dropped);

  Pieces pieces_;
  std::size_t size_ = 0;
  u64 last_ns_ = 0;
};

}  // namespace wick
