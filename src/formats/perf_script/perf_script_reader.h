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
#include "formats/known_texts.h"
#include "formats/line_reader.h"
#include "formats/perf_script/perf_script_header.h"
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
  // What a line was understood as, in 32 bits: the limits leave the upper ones free.
  struct KnownFrame {
    FrameId frame;
    bool inlined = false;

    static constexpr u32 kInlined = u32{1} << 30;
    static constexpr u32 kNone = u32{1} << 31;  // the line is no frame
    [[nodiscard]] u32 packed() const { return frame.value() | (inlined ? kInlined : 0); }
    static KnownFrame unpacked(u32 value) {
      return {FrameId{value & (kInlined - 1)}, (value & kInlined) != 0};
    }
  };

  [[nodiscard]] Status line(std::string_view text) override;
  [[nodiscard]] Status end() override;
  [[nodiscard]] Status unusual_line(std::string_view text);
  [[nodiscard]] Status begin_sample(const PerfHeader& header);
  void end_sample();
  [[nodiscard]] Status frame_line(std::string_view text);
  [[nodiscard]] Status push(KnownFrame known);
  [[nodiscard]] KnownFrame new_frame(const FrameText& text);
  void source_line(std::string_view text);
  void place_inlined();
  [[nodiscard]] Result<std::size_t> column_of(std::string_view event);

  bool moments_;
  KnownTexts known_lines_;  // as KnownFrame::packed()

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
