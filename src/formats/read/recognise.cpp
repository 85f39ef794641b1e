// What kind of file is it? By its first bytes, since names lie: "trace.data", "out.txt".
#include <algorithm>

#include "base/text.h"
#include "formats/frame_text.h"
#include "formats/perf_script/perf_script_header.h"
#include "formats/read/read.h"
#include "formats/read_stream.h"

namespace wick {
namespace {

constexpr std::size_t kLines = 400;
constexpr std::string_view kBlankOrReturn = " \t\r";

// A protobuf of small numbers has many such bytes near its beginning; text has none.
bool is_binary(std::string_view head) {
  return std::ranges::any_of(head.substr(0, 4096), [](char c) { return c >= 0 && c < '\t'; });
}

bool take_varint(std::string_view& bytes, u64& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= u64{byte & 0x7FU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// profile.proto's fields 1 to 14, numbers or messages, as far as the head goes.
bool is_pprof(std::string_view bytes) {
  constexpr u64 kNumber = 0;
  constexpr u64 kBytes = 2;
  constexpr u64 kLastField = 15;
  std::size_t fields = 0;
  while (!bytes.empty()) {
    u64 tag = 0;
    u64 value = 0;
    if (!take_varint(bytes, tag)) return fields > 0;
    const u64 type = tag & 7U;
    if (tag >> 3U == 0 || tag >> 3U > kLastField || (type != kNumber && type != kBytes))
      return false;
    if (!take_varint(bytes, value)) return fields > 0;
    if (type == kBytes) {
      if (value > bytes.size()) return fields > 0;
      bytes.remove_prefix(value);
    }
    fields++;
  }
  return fields > 0;
}

// Wick's own begins with how it was made; any other object is for speedscope's reader.
std::optional<InputKind> json_kind(std::string_view head) {
  if (!head.starts_with('{')) return std::nullopt;
  head.remove_prefix(1);
  head = trim(head);
  if (head.starts_with(R"("info")")) return InputKind::wick_json;
  if (head.starts_with('"') || head.starts_with('}')) return InputKind::speedscope;
  return std::nullopt;
}

// "@[", "@name[", "@name: "
bool is_bpftrace_map(std::string_view line) {
  if (!line.starts_with('@')) return false;
  const auto end = std::ranges::find_if_not(line.substr(1), is_word);
  const std::string_view rest{end, line.end()};
  return rest.starts_with('[') || rest.starts_with(": ") || rest == ":";
}

// Below an event: behind a tab, or behind blanks, as older versions of perf print it.
bool is_perf_frame(std::string_view line) {
  return line.starts_with('\t') || (line.starts_with(' ') && split_frame(line));
}

// Without a time an event's line says little by itself: a frame has to follow, below or behind it.
bool is_perf_event(std::string_view line, std::string_view next) {
  if (line.empty() || line.front() == '\t') return false;
  if (const auto timed = parse_timed_perf_header(line))
    return !timed->event.empty() || is_perf_frame(next);
  const auto header = parse_perf_header(line);
  if (!header) return false;
  const std::string_view rest = trim(header->rest);
  return is_perf_frame(next) || (rest.ends_with(')') && split_frame(rest));
}

bool ends_with_count(std::string_view line) {
  const std::size_t blank = line.find_last_of(kBlankOrReturn);
  if (blank == std::string_view::npos || blank == 0) return false;
  const std::string_view word = line.substr(blank + 1);
  return !word.empty() && word.front() >= '0' && word.front() <= '9' && parse_decimal(word);
}

std::optional<InputKind> text_kind(std::string_view head) {
  std::optional<bool> folded;  // by the first line that says anything
  for (std::size_t i = 0; i < kLines && !head.empty(); i++) {
    std::string_view line = take_until(head, '\n');
    while (!line.empty() && kBlankOrReturn.contains(line.back())) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    if (is_bpftrace_map(line)) return InputKind::bpftrace;
    if (is_perf_event(line, head.substr(0, head.find('\n')))) return InputKind::perf_script;
    if (!folded) folded = ends_with_count(line);
  }
  return folded.value_or(false) ? std::optional(InputKind::folded) : std::nullopt;
}

}  // namespace

std::optional<InputKind> recognise(std::string_view head) {
  if (is_gzip(head)) return InputKind::pprof;
  if (is_binary(head)) return is_pprof(head) ? std::optional(InputKind::pprof) : std::nullopt;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  if (const auto kind = json_kind(trim(head))) return kind;
  return text_kind(head);
}

}  // namespace wick
