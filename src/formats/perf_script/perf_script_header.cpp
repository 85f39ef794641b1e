#include "formats/perf_script/perf_script_header.h"

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr std::string_view npos_is_all(std::string_view text, std::size_t from) {
  return from >= text.size() ? std::string_view{} : text.substr(from);
}

// "12245.528829:" as nanoseconds: microseconds, or nanoseconds by --ns.
std::optional<u64> parse_time(std::string_view word) {
  if (!word.ends_with(':')) return std::nullopt;
  word.remove_suffix(1);
  const std::size_t point = word.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  std::string_view fraction = word.substr(point + 1);
  const auto seconds = parse_number<u64>(word.substr(0, point));
  constexpr u64 kLongestRun = u64{1} << 33;  // in seconds: the sum below cannot overflow
  if (!all_digits(word.substr(0, point)) || !seconds || *seconds > kLongestRun ||
      !all_digits(fraction) || fraction.size() > 9)
    return std::nullopt;
  u64 nanos = 0;
  for (std::size_t i = 0; i < 9; i++)
    nanos = nanos * 10 + (i < fraction.size() ? static_cast<u64>(fraction[i] - '0') : 0);
  return *seconds * kNanosPerSecond + nanos;
}

bool is_cpu(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']' &&
         all_digits(word.substr(1, word.size() - 2));
}

struct Task {
  u32 pid = 0;
  u32 tid = 0;
};

// "6527" or "6527/6530"; -1 is a task that is gone.
std::optional<Task> parse_task(std::string_view word) {
  const auto number = [](std::string_view text) -> std::optional<u32> {
    if (text == "-1") return u32{0};
    return all_digits(text) ? parse_number<u32>(text) : std::nullopt;
  };
  const std::size_t slash = word.find('/');
  const auto first = number(word.substr(0, slash));
  if (!first) return std::nullopt;
  if (slash == std::string_view::npos) return Task{*first, *first};
  const auto second = number(word.substr(slash + 1));
  if (!second) return std::nullopt;
  return Task{*first, *second};
}

// Takes the last word off `text`.
std::string_view take_last(std::string_view& text) {
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  const std::string_view word = text.substr(text.rfind(' ') + 1);  // npos + 1 is 0
  text.remove_suffix(word.size());
  return word;
}

// "comm with blanks  12/13 [001]"
bool parse_left(std::string_view left, PerfHeader& header) {
  // Two words may stand between the task and the time: the CPU, and flags.
  for (int i = 0; i < 3; i++) {
    const std::string_view word = take_last(left);
    if (word.empty()) return false;
    const auto task = parse_task(word);
    if (!task) continue;
    header.pid = task->pid;
    header.tid = task->tid;
    header.comm = trim(left);
    return true;
  }
  return false;
}

// "250000 cpu-clock:u: rest": an event's name ends at the first colon a blank or nothing follows.
void parse_right(std::string_view right, PerfHeader& header) {
  right = right.substr(std::min(right.find_first_not_of(' '), right.size()));
  header.is_sample = !right.starts_with("PERF_RECORD_");
  const std::size_t space = right.find(' ');
  if (const std::string_view word = right.substr(0, space); all_digits(word)) {
    header.period = parse_number<u64>(word).value_or(1);
    right = trim(npos_is_all(right, space));
  }
  std::size_t colon = right.find(": ");
  if (colon == std::string_view::npos && right.ends_with(':')) colon = right.size() - 1;
  if (colon == std::string_view::npos) {
    header.rest = right;
    return;
  }
  header.event = right.substr(0, colon);
  header.rest = right.substr(colon + 1);
}

struct Word {
  std::size_t begin;
  std::size_t end;
};

// Calls `found(word, place)` for each word until it says true.
template <class Found>
bool for_each_word(std::string_view line, Found found) {
  std::size_t at = 0;
  while ((at = line.find_first_not_of(' ', at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    if (found(line.substr(at, end - at), Word{at, end})) return true;
    at = end;
  }
  return false;
}

// Without time and CPU: "comm 6527 250000 cycles:".
std::optional<PerfHeader> parse_bare(std::string_view line) {
  PerfHeader header;
  std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos && line.ends_with(':')) colon = line.size() - 1;
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  std::string_view left = line.substr(0, colon);
  header.event = take_last(left);
  header.rest = line.substr(colon + 1);
  std::string_view before = left;
  const std::string_view last = take_last(before);
  std::string_view earlier = before;
  if (all_digits(last) && parse_task(take_last(earlier))) {
    header.period = parse_number<u64>(last).value_or(1);
    left = before;
  }
  if (!parse_task(take_last(before = left)) || !parse_left(left, header)) return std::nullopt;
  return header;
}

}  // namespace

std::optional<PerfHeader> parse_timed_perf_header(std::string_view line) {
  PerfHeader header;
  const bool found = for_each_word(line, [&](std::string_view word, Word place) {
    if (place.begin == 0) return false;
    const auto time = parse_time(word);
    if (!time || !parse_left(line.substr(0, place.begin), header)) return false;
    header.time_ns = time;
    parse_right(npos_is_all(line, place.end), header);
    return true;
  });
  return found ? std::optional(header) : std::nullopt;
}

std::optional<PerfHeader> parse_perf_header(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  if (auto timed = parse_timed_perf_header(line)) return timed;
  PerfHeader header;
  const bool found = for_each_word(line, [&](std::string_view word, Word place) {
    if (!is_cpu(word) || !parse_left(line.substr(0, place.begin), header)) return false;
    parse_right(npos_is_all(line, place.end), header);
    return true;
  });
  return found ? std::optional(header) : parse_bare(line);
}

}  // namespace wick
