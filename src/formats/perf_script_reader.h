// The text `perf script` prints: a line for the event, its frames below, a blank line. A sample
// ends at the blank line, at the next event or with the file; one without frames counts too.
//
//   PerfScriptReader reader{{.moments = true}};
//   while (…) TRY(reader.feed(chunk));
//   Profile profile = TRY(reader.finish());
//
// Values: "samples", then one for each event, which sums its periods (1 where none is printed). The
// first event is the shown one: FlameGraph's stackcollapse-perf.pl counts the same. Lines beginning
// with '#' are comments. Other lines that are neither event nor frame, such as perf's own messages,
// are skipped and counted as losses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/frame_text.h"
#include "formats/line_reader.h"
#include "formats/perf_script_header.h"
#include "profile/sample_index.h"

namespace wick {

class PerfScriptReader final : public LineReader {
 public:
  struct Options {
    ReadLimits limits = {};
    bool moments = false;
    // The rest of a file whose first event is read elsewhere: its types, to begin with.
    std::vector<ValueType> types = {};
  };
  explicit PerfScriptReader(const Options& options);

 private:
  struct KnownFrame {
    FrameId frame;
    bool inlined = false;
  };

  [[nodiscard]] Status line(std::string_view text) override;
  [[nodiscard]] Status end() override;
  [[nodiscard]] Status unusual_line(std::string_view text);
  [[nodiscard]] Status begin_sample(const PerfHeader& header);
  void end_sample();
  [[nodiscard]] Status frame_line(std::string_view text);
  [[nodiscard]] Status push(KnownFrame known);
  [[nodiscard]] KnownFrame new_frame(const FrameText& text);
  void forget_lines();
  void source_line(std::string_view text);
  void place_inlined();
  [[nodiscard]] Result<std::size_t> column_of(std::string_view event);

  bool moments_;
  // Frames by their line's text, so that each is understood once.
  StringTable known_lines_;
  std::vector<KnownFrame> known_frames_{1};  // by the text's id; 0 is no text

  bool in_sample_ = false;
  bool has_inlined_ = false;
  Sample sample_;
  std::optional<u64> time_ns_;
  std::size_t column_ = 0;
  i64 period_ = 1;
  std::vector<FrameId> stack_;
  std::vector<i64> values_;
  std::vector<std::string> events_;  // by column
  SampleIndex samples_;
};

}  // namespace wick
