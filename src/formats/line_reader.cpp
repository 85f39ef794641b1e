#include "formats/line_reader.h"

#include <fmt/format.h>

#include <cstring>

namespace wick {

std::unexpected<Error> LineReader::bad_line(std::string_view problem) const {
  return fail(fmt::format("line {}: {}", line_number_, problem));
}

Status LineReader::one_line(const char* begin, const char* end) {
  line_number_++;
  if (end > begin && end[-1] == '\r') end--;
  if (static_cast<std::size_t>(end - begin) > limits_.line_bytes)
    return bad_line(fmt::format("longer than {} bytes", limits_.line_bytes));
  return line({begin, end});
}

// Completes the line the last chunk's end cut.
Status LineReader::first_line(std::string_view& chunk) {
  const std::size_t end = chunk.find('\n');
  const std::string_view piece = chunk.substr(0, end);
  // Two more for the line's end: it does not count.
  if (partial_.size() + piece.size() > limits_.line_bytes + 2) {
    line_number_++;
    return bad_line(fmt::format("longer than {} bytes", limits_.line_bytes));
  }
  partial_.append(piece);
  if (end == std::string_view::npos) {
    chunk = {};
    return {};
  }
  chunk.remove_prefix(end + 1);
  const Status status = one_line(partial_.data(), partial_.data() + partial_.size());
  partial_.clear();
  return status;
}

Status LineReader::feed(std::string_view chunk) {
  if (chunk.empty()) return {};
  if (!partial_.empty()) TRY(first_line(chunk));
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  while (at != end) {
    const auto* newline =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (newline == nullptr) break;
    TRY(one_line(at, newline));
    at = newline + 1;
  }
  if (at != end) {
    std::string_view rest{at, end};
    TRY(first_line(rest));
  }
  if (const Status status = check_limits(profile_, limits_); !status)
    return bad_line(status.error().message);
  return {};
}

Result<Profile> LineReader::finish() {
  if (!partial_.empty()) TRY(one_line(partial_.data(), partial_.data() + partial_.size()));
  TRY(end());
  return std::move(profile_);
}

}  // namespace wick
