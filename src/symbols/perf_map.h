// PerfMap: reads /tmp/perf-PID.map, the file in which a JIT tells perf what it called the code it
// wrote. One thread.
//
//   7f6384ec7620 278 Lnet/foo/Bar;::baz             start and size in hex, the name to the line's
//   end
//
//   PerfMap map;
//   TRY(map.read_more(fd));                         // and again, when the file has grown
//   map.names().resolve(moments);
//
// The file grows while its process lives: what was read is not read again, and a last line without
// its end waits for the rest. It has no times, so of two entries for one address the later holds.
#pragma once

#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "symbols/code_names.h"

namespace wick {

class PerfMap {
 public:
  // Reads from where the last call ended. A file that is shorter than that, or has other text
  // before that place, was begun anew, and is read from its beginning.
  // It is spent from `budget`; by default from one of the file's own.
  [[nodiscard]] Status read_more(const Fd& fd);
  [[nodiscard]] Status read_more(const Fd& fd, Budget& budget);
  // Pieces cut anywhere.
  void feed(std::string_view piece);

  [[nodiscard]] const CodeNames& names() const { return names_; }
  // The file was longer than what is read of one: only its end was.
  [[nodiscard]] bool cut() const { return cut_; }
  [[nodiscard]] u64 malformed() const { return malformed_; }  // lines not understood

 private:
  void line(std::string_view text);
  void restart(u64 offset);
  void skip_hole(const Fd& fd, u64 size);
  [[nodiscard]] bool was_rewritten(const Fd& fd, u64 size) const;

  CodeNames names_;
  std::string partial_;        // the line the last piece ended in
  bool skip_to_line_ = false;  // in the middle of a line whose beginning was never read
  u64 offset_ = 0;
  std::string tail_;  // the last bytes before offset_
  u64 malformed_ = 0;
  bool cut_ = false;
};

}  // namespace wick
