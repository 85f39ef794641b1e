// Folded stacks read back: `comm;root;…;leaf N` a line, as Wick, bcc -f and FlameGraph's
// stackcollapse scripts write them. The first frame becomes the sample's comm, whatever it is, so
// what is read and written again is the same text. `_[k] _[j] _[i] _[w]` become frame kinds; a
// frame
// `-` or `--` is kept as a note, and what follows `-` is taken for kernel frames.
//
//   const Profile profile = TRY(read_folded(text));
//
//   FoldedReader reader;                     // or piece by piece, cut anywhere
//   while (…) TRY(reader.feed(chunk));
//   Profile profile = TRY(reader.finish());
//
// Two whole numbers at the end of the first line make a differential (`a;b 10 20`): every line must
// have two then. Where the first line has one, a number before the last belongs to the name. A
// count with a fraction is rounded, and counted as not whole. Lines that begin with
// "# " are comments.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "formats/known_texts.h"
#include "formats/line_reader.h"
#include "profile/sample_index.h"

namespace wick {

class FoldedReader final : public LineReader {
 public:
  // For the rest of a file whose first line is read elsewhere.
  struct Shape {
    bool differential = false;
  };
  explicit FoldedReader(const ReadLimits& limits = {}) : LineReader(limits) {}
  FoldedReader(const ReadLimits& limits, Shape shape);

 private:
  [[nodiscard]] Status line(std::string_view text) override;
  [[nodiscard]] Status end() override;
  [[nodiscard]] Status counts(std::string_view& text);
  [[nodiscard]] Result<i64> count(std::string_view number);
  void set_shape(bool differential);
  [[nodiscard]] Status add_stack(std::string_view frames);
  [[nodiscard]] FrameId frame_of(std::string_view text, bool after_separator);
  [[nodiscard]] Frame new_frame(std::string_view text, bool after_separator);

  std::array<KnownTexts, 2> known_;  // FrameIds; [1] behind a separator
  bool shaped_ = false;              // the first line was seen
  std::vector<i64> values_;
  std::array<i64, 2> totals_{};
  std::vector<FrameId> stack_;
  SampleIndex samples_;
};

[[nodiscard]] Result<Profile> read_folded(std::string_view text, const ReadLimits& limits = {});

}  // namespace wick
