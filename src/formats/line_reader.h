// LineReader: what readers of text share. Bytes come in pieces cut anywhere; the format sees whole
// lines, without their ends, and none is copied but those a cut went through.
//
//   FoldedReader reader{limits};
//   while (…) TRY(reader.feed(chunk));
//   Profile profile = TRY(reader.finish());
//
// Errors name the line. One thread at a time.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/read_limits.h"
#include "profile/profile.h"

namespace wick {

// What stands around the words of a line.
inline constexpr std::string_view kBlank = " \t";

class LineReader {
 public:
  explicit LineReader(const ReadLimits& limits) : limits_(limits) {}
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  LineReader(LineReader&&) = delete;
  LineReader& operator=(LineReader&&) = delete;
  virtual ~LineReader() = default;

  [[nodiscard]] Status feed(std::string_view chunk);
  // The reader is done for afterwards.
  [[nodiscard]] Result<Profile> finish();

  [[nodiscard]] std::size_t lines_read() const { return line_number_; }

 protected:
  // A line without its \n or \r\n.
  [[nodiscard]] virtual Status line(std::string_view text) = 0;
  [[nodiscard]] virtual Status end() = 0;
  [[nodiscard]] std::unexpected<Error> bad_line(std::string_view problem) const;
  void count_loss(std::string_view cause, u64 count = 1) { add_loss(profile_.info, cause, count); }

  ReadLimits limits_;
  Profile profile_;

 private:
  [[nodiscard]] Status one_line(const char* begin, const char* end);
  [[nodiscard]] Status first_line(std::string_view& chunk);

  std::string partial_;  // the line a chunk's end cut
  std::size_t line_number_ = 0;
};

}  // namespace wick
