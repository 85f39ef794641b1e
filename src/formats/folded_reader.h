// Folded stacks read back: `comm;root;…;leaf N` a line, as Wick, bcc -f and FlameGraph's
// stackcollapse scripts write them. The first frame becomes the sample's comm, whatever it is, so
// what is read and written again is the same text. `_[k] _[j] _[i]` become frame kinds; a frame `-`
// or
// `--` is kept as a note, and what follows `-` is taken for kernel frames.
//
//   const Profile profile = TRY(read_folded(text));
//
//   FoldedReader reader;                     // or piece by piece, cut anywhere
//   while (…) TRY(reader.feed(chunk));
//   Profile profile = TRY(std::move(reader).finish());
//
// The input is not trusted: lines, depth and total are bounded, and errors name the line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

struct FoldedLimits {
  std::size_t line_bytes = std::size_t{1} << 20;
  std::size_t depth = 4096;
  std::size_t total_frames = std::size_t{1} << 28;  // over all lines; 4 bytes each
  std::size_t total_bytes = std::size_t{4} << 30;
};

class FoldedReader {
 public:
  explicit FoldedReader(FoldedLimits limits = {});
  [[nodiscard]] Status feed(std::string_view chunk);
  [[nodiscard]] Result<Profile> finish() &&;

 private:
  [[nodiscard]] Status line(std::string_view text);
  [[nodiscard]] Status add_stack(std::string_view frames, i64 count);
  [[nodiscard]] Frame frame_of(std::string_view text, bool after_separator);
  [[nodiscard]] std::unexpected<Error> bad_line(std::string_view problem) const;

  FoldedLimits limits_;
  Profile profile_;
  std::string partial_;  // the line a chunk's end cut
  std::size_t line_number_ = 0;
  std::size_t frames_ = 0;
  std::size_t bytes_ = 0;
  i64 total_ = 0;
  std::vector<FrameId> stack_;
};

[[nodiscard]] Result<Profile> read_folded(std::string_view text, FoldedLimits limits = {});

}  // namespace wick
