#include "formats/perf_script/perf_script_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace wick {
namespace {

// Where each line is another one, remembering them helps nobody.
constexpr std::size_t kMaxKnownLines = std::size_t{1} << 20;
constexpr std::string_view kNotUnderstood = "lines that are no event and no frame";

// Without -g the only frame stands behind the event, its address in a column of 16.
bool has_frame_in_line(std::string_view rest) {
  const std::size_t begin = rest.find_first_not_of(' ');
  if (begin == std::string_view::npos) return false;
  const std::size_t end = rest.find(' ', begin);
  constexpr std::size_t kColumn = 16;
  return end != std::string_view::npos && end >= kColumn && rest.ends_with(')');
}

}  // namespace

PerfScriptReader::PerfScriptReader(const Options& options)
    : LineReader(options.limits), moments_(options.moments) {
  std::vector<ValueType> types = options.types;
  if (types.empty()) types = {{"samples", "count"}};
  for (const ValueType& type : types) events_.push_back(type.type);
  events_.front().clear();  // "samples" is nobody's event
  values_.resize(types.size());
  profile_.set_value_types(std::move(types));
  profile_.info.default_value = 1;
}

Status PerfScriptReader::line(std::string_view text) {
  if (text.empty()) {
    end_sample();
    return {};
  }
  if (text.front() == '\t' && in_sample_) return frame_line(text);
  return unusual_line(text);
}

Status PerfScriptReader::frame_line(std::string_view text) {
  u32& known = known_lines_.value_of(text);
  if (known == KnownTexts::kNew) {
    const auto parts = split_frame(text);
    known = parts ? new_frame(*parts).packed() : KnownFrame::kNone;
  }
  const u32 packed = known;
  if (known_lines_.size() > kMaxKnownLines) known_lines_.clear();
  if (packed != KnownFrame::kNone) return push(KnownFrame::unpacked(packed));
  source_line(text);
  return {};
}

PerfScriptReader::KnownFrame PerfScriptReader::new_frame(const FrameText& text) {
  const Frame frame = make_frame(profile_, text);
  return {.frame = profile_.add_frame(frame), .inlined = frame.kind == FrameKind::inlined};
}

Status PerfScriptReader::push(KnownFrame known) {
  if (stack_.size() >= limits_.depth)
    return bad_line(fmt::format("a stack of more than {} frames", limits_.depth));
  has_inlined_ |= known.inlined;
  stack_.push_back(known.frame);
  return {};
}

// Neither empty nor a frame behind a tab.
Status PerfScriptReader::unusual_line(std::string_view text) {
  if (text.front() == '#') return {};
  const bool indented = kBlank.contains(text.front());
  if (indented && text.find_first_not_of(kBlank) == std::string_view::npos) {
    end_sample();
    return {};
  }
  // A frame has no time, but may look like an event without one.
  auto header = indented ? parse_timed_perf_header(text) : parse_perf_header(text);
  if (!header && indented && in_sample_) {
    if (split_frame(text)) return frame_line(text);
    source_line(text);
    return {};
  }
  if (!header && indented) header = parse_perf_header(text);
  if (header && header->is_sample) return begin_sample(*header);
  end_sample();
  if (!header) count_loss(kNotUnderstood);
  return {};
}

Result<std::size_t> PerfScriptReader::column_of(std::string_view event) {
  if (event.empty()) event = "events";
  if (events_[column_] == event) return column_;
  const auto known = std::ranges::find(events_.begin() + 1, events_.end(), event);
  const auto column = static_cast<std::size_t>(known - events_.begin());
  if (known != events_.end()) return column;
  if (events_.size() >= limits_.value_types)
    return bad_line(fmt::format("more than {} different events", limits_.value_types - 1));
  events_.emplace_back(event);
  profile_.add_value_type({std::string(event), "count"});
  values_.resize(events_.size());
  return column;
}

Status PerfScriptReader::begin_sample(const PerfHeader& header) {
  end_sample();
  column_ = TRY(column_of(header.event));
  constexpr u64 kMost = std::numeric_limits<i64>::max();
  period_ = static_cast<i64>(std::min(header.period, kMost));
  time_ns_ = header.time_ns;
  sample_ = {.pid = header.pid,
             .tid = header.tid,
             .comm = profile_.strings.intern(header.comm),
             .labels = {}};
  in_sample_ = true;
  if (!has_frame_in_line(header.rest)) return {};
  const auto only = split_frame(header.rest);
  return only ? push(new_frame(*only)) : Status{};
}

void PerfScriptReader::end_sample() {
  if (!in_sample_) return;
  in_sample_ = false;
  if (has_inlined_) place_inlined();
  sample_.stack = profile_.add_stack(stack_);
  std::ranges::fill(values_, 0);
  values_[0] = 1;
  values_[column_] = period_;
  const std::size_t at = samples_.add(profile_, std::move(sample_), values_);
  // Moments tell the shown value; other events have none of it.
  const bool has_moment = moments_ && time_ns_ && column_ == 1;
  if (has_moment && profile_.moments().size() >= limits_.moments)
    count_loss("times of events, past what Wick keeps");
  else if (has_moment)
    profile_.add_moment({.time_ns = *time_ns_, .sample = static_cast<u32>(at), .value = period_});
  stack_.clear();
  has_inlined_ = false;
}

// "  file.c:123" below a frame, by -F +srcline. Anything else there is "??:0" or the like.
void PerfScriptReader::source_line(std::string_view text) {
  if (stack_.empty()) return count_loss(kNotUnderstood);
  text = trim(text);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return;
  const auto line_number = parse_number<u32>(text.substr(colon + 1));
  if (!line_number || text.starts_with("??")) return;
  Frame frame = profile_.frame(stack_.back());
  frame.file = profile_.strings.intern(text.substr(0, colon));
  frame.line = *line_number;
  stack_.back() = profile_.add_frame(frame);
}

// perf says "(inlined)" where the object stands; it is the one of the function below.
void PerfScriptReader::place_inlined() {
  Frame body;
  for (std::size_t i = stack_.size(); i-- > 0;) {
    Frame frame = profile_.frame(stack_[i]);
    if (frame.kind != FrameKind::inlined) {
      body = frame;
    } else if (frame.address == body.address) {
      frame.mapping = body.mapping;
      stack_[i] = profile_.add_frame(frame);
    }
  }
}

Status PerfScriptReader::end() {
  end_sample();
  return {};
}

}  // namespace wick
