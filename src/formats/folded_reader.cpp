#include "formats/folded_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "formats/names.h"

namespace wick {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

struct Suffix {
  std::string_view text;
  FrameKind kind;
};
constexpr std::array kSuffixes{Suffix{"_[k]", FrameKind::kernel}, Suffix{"_[j]", FrameKind::jit},
                               Suffix{"_[i]", FrameKind::inlined},
                               Suffix{"_[w]", FrameKind::waker}};

}  // namespace

FoldedReader::FoldedReader(FoldedLimits limits) : limits_(limits) {
  profile_.set_value_types({{.type = "samples", .unit = "count"}});
}

std::unexpected<Error> FoldedReader::bad_line(std::string_view problem) const {
  return fail(fmt::format("line {}: {}", line_number_, problem));
}

Status FoldedReader::feed(std::string_view chunk) {
  bytes_ += chunk.size();
  if (bytes_ > limits_.total_bytes)
    return fail(fmt::format("more than {} bytes of folded stacks", limits_.total_bytes));
  while (!chunk.empty()) {
    const std::size_t end = chunk.find('\n');
    const std::string_view piece = chunk.substr(0, end);
    if (partial_.size() + piece.size() > limits_.line_bytes) {
      line_number_++;
      return bad_line(fmt::format("longer than {} bytes", limits_.line_bytes));
    }
    if (end == std::string_view::npos) {
      partial_.append(piece);
      return {};
    }
    if (partial_.empty()) {
      TRY(line(piece));
    } else {
      partial_.append(piece);
      TRY(line(partial_));
      partial_.clear();
    }
    chunk.remove_prefix(end + 1);
  }
  return {};
}

Result<Profile> FoldedReader::finish() && {
  if (!partial_.empty()) TRY(line(partial_));
  return std::move(profile_);
}

Status FoldedReader::line(std::string_view text) {
  line_number_++;
  // Only the line's end: a name may begin with a space.
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  if (text.empty()) return {};
  const std::size_t space = text.find_last_of(" \t");
  if (space == std::string_view::npos) return bad_line("no count at its end");
  const std::string_view number = text.substr(space + 1);
  const auto count = parse_number<i64>(number);
  if (!count || *count < 0)
    return bad_line(
        fmt::format("\"{}\" is no count: a whole number is wanted", cleaned(number.substr(0, 40))));
  const std::string_view frames = text.substr(0, space);
  if (const std::size_t before = frames.rfind(' ');
      before != std::string_view::npos && all_digits(frames.substr(before + 1)))
    return bad_line("two counts: a differential is not a profile");
  if (__builtin_add_overflow(total_, *count, &total_)) return bad_line("the counts' sum overflows");
  return add_stack(frames, *count);
}

Status FoldedReader::add_stack(std::string_view frames, i64 count) {
  if (frames.empty()) return bad_line("a count without a stack");
  const auto depth = static_cast<std::size_t>(std::ranges::count(frames, ';'));
  if (depth > limits_.depth) return bad_line(fmt::format("deeper than {} frames", limits_.depth));
  frames_ += depth;
  if (frames_ > limits_.total_frames)
    return bad_line(fmt::format("more than {} frames so far", limits_.total_frames));

  const StringId comm = profile_.strings.intern(take_until(frames, ';'));
  stack_.clear();
  bool after_separator = false;
  while (!frames.empty()) {
    const std::string_view text = take_until(frames, ';');
    if (text.empty()) continue;
    stack_.push_back(profile_.add_frame(frame_of(text, after_separator)));
    if (is_separator(text)) after_separator = text == "-";
  }
  std::ranges::reverse(stack_);
  profile_.add_sample({.stack = profile_.add_stack(stack_), .comm = comm, .labels = {}},
                      std::span(&count, 1));
  return {};
}

Frame FoldedReader::frame_of(std::string_view text, bool after_separator) {
  Frame frame;
  if (is_separator(text) || (text.starts_with('[') && text.ends_with(']')))
    frame.kind = FrameKind::note;
  else if (after_separator)
    frame.kind = FrameKind::kernel;
  for (const Suffix& suffix : kSuffixes) {
    if (!text.ends_with(suffix.text) || text.size() == suffix.text.size()) continue;
    text.remove_suffix(suffix.text.size());
    frame.kind = suffix.kind;
    break;
  }
  frame.name = profile_.strings.intern(text);
  return frame;
}

Result<Profile> read_folded(std::string_view text, FoldedLimits limits) {
  FoldedReader reader{limits};
  TRY(reader.feed(text));
  return std::move(reader).finish();
}

}  // namespace wick
