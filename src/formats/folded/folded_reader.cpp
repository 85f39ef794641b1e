#include "formats/folded/folded_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "views/names.h"

namespace wick {
namespace {

// flamegraph.pl's number: digits, and a fraction perhaps.
bool is_decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
  return all_digits(text.substr(0, point)) && std::ranges::all_of(fraction, is_digit);
}

// Takes the last word off `text`, and the blanks around it.
std::string_view take_last_word(std::string_view& text) {
  const std::size_t end = text.find_last_not_of(kBlank);
  text = text.substr(0, end + 1);
  const std::size_t blank = text.find_last_of(kBlank);
  if (blank == std::string_view::npos) return {};
  const std::string_view word = text.substr(blank + 1);
  text.remove_suffix(word.size());
  text = text.substr(0, text.find_last_not_of(kBlank) + 1);  // npos + 1 is 0
  return word;
}

// Blanks at a name's end cannot be told from those before the count. A name of blanks stays.
std::string_view without_last_blanks(std::string_view name) {
  const std::size_t last = name.find_last_not_of(kBlank);
  return last == std::string_view::npos ? name : name.substr(0, last + 1);
}

// "#name;main 3" is a stack.
bool is_comment(std::string_view line) {
  return line.front() == '#' && (line.size() == 1 || kBlank.contains(line[1]));
}

struct Suffix {
  std::string_view text;
  FrameKind kind;
};
constexpr std::array kSuffixes{Suffix{"_[k]", FrameKind::kernel}, Suffix{"_[j]", FrameKind::jit},
                               Suffix{"_[i]", FrameKind::inlined},
                               Suffix{"_[w]", FrameKind::waker}};

}  // namespace

FoldedReader::FoldedReader(const ReadLimits& limits, Shape shape) : LineReader(limits) {
  set_shape(shape.differential);
}

void FoldedReader::set_shape(bool differential) {
  shaped_ = true;
  values_.resize(differential ? 2 : 1);
  profile_.info.comm_is_a_frame = true;
  profile_.info.differential = differential;
  profile_.info.default_value = differential ? 1 : 0;
  if (differential)
    profile_.set_value_types({{"before", "count"}, {"after", "count"}});
  else
    profile_.set_value_types({{"samples", "count"}});
}

Result<i64> FoldedReader::count(std::string_view number) {
  if (const auto whole = parse_number<i64>(number); whole && is_digit(number.front()))
    return *whole;
  const auto decimal = is_decimal(number) ? parse_decimal(number) : std::nullopt;
  constexpr double kTooMuch = 9.2e18;
  if (!decimal || *decimal > kTooMuch)
    return bad_line(
        fmt::format("\"{}\" is no count: a number is wanted", printable(number.substr(0, 40))));
  const double rounded = std::round(*decimal);
  if (rounded != *decimal) count_loss("counts with a fraction, rounded");
  return static_cast<i64>(rounded);
}

// Takes the counts off the line's end.
Status FoldedReader::counts(std::string_view& text) {
  const std::string_view last = take_last_word(text);
  if (last.empty()) return bad_line("no count at its end");
  if (!shaped_) {
    std::string_view rest = text;
    set_shape(all_digits(last) && all_digits(take_last_word(rest)));
  }
  values_.back() = TRY(count(last));
  if (values_.size() == 1) return {};
  const std::string_view before = take_last_word(text);
  if (!all_digits(before) || !all_digits(last))
    return bad_line("not two whole counts, as the first line has");
  values_.front() = TRY(count(before));
  return {};
}

Status FoldedReader::line(std::string_view text) {
  if (text.find_first_not_of(kBlank) == std::string_view::npos || is_comment(text)) return {};
  TRY(counts(text));
  for (std::size_t i = 0; i < values_.size(); i++)
    if (__builtin_add_overflow(totals_[i], values_[i], &totals_[i]))
      return bad_line("the counts' sum overflows");
  return add_stack(text);
}

Status FoldedReader::add_stack(std::string_view frames) {
  if (frames.empty()) return bad_line("a count without a stack");
  const StringId comm = profile_.strings.intern(without_last_blanks(take_until(frames, ';')));
  stack_.clear();
  bool after_separator = false;
  while (!frames.empty()) {
    const std::string_view text = without_last_blanks(take_until(frames, ';'));
    if (text.empty()) continue;
    stack_.push_back(frame_of(text, after_separator));
    if (is_separator(text)) after_separator = text == "-";
  }
  if (stack_.size() > limits_.depth)
    return bad_line(fmt::format("deeper than {} frames", limits_.depth));
  std::ranges::reverse(stack_);
  samples_.add(profile_, {.stack = profile_.add_stack(stack_), .comm = comm, .labels = {}},
               values_);
  return {};
}

FrameId FoldedReader::frame_of(std::string_view text, bool after_separator) {
  u32& known = known_[after_separator ? 1 : 0].value_of(text);
  if (known == KnownTexts::kNew)
    known = profile_.add_frame(new_frame(text, after_separator)).value();
  return FrameId{known};
}

Frame FoldedReader::new_frame(std::string_view text, bool after_separator) {
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

Status FoldedReader::end() {
  if (!shaped_) set_shape(false);
  return {};
}

Result<Profile> read_folded(std::string_view text, const ReadLimits& limits) {
  FoldedReader reader{limits};
  TRY(reader.feed(text));
  return reader.finish();
}

}  // namespace wick
