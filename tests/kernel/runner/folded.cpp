#include "folded.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace wick::test {

namespace {

Result<FoldedStack> parse_line(std::string_view line) {
  const std::size_t blank = line.rfind(' ');
  if (blank == std::string_view::npos) return fail(fmt::format("no count in '{}'", line));
  const auto count = parse_number<u64>(line.substr(blank + 1));
  if (!count || *count == 0) return fail(fmt::format("the count is not last in '{}'", line));
  FoldedStack stack{.frames = split(line.substr(0, blank), ';'), .count = *count};
  if (std::ranges::any_of(stack.frames, [](std::string_view frame) { return frame.empty(); })) {
    return fail(fmt::format("an empty frame in '{}'", line));
  }
  return stack;
}

// "-" parts user from kernel frames and is no frame.
bool is_separator(std::string_view frame) {
  return frame == "-" || frame == "--";
}

// "[stopped: …]" is about a stack, and no frame of code.
bool is_remark(std::string_view frame) {
  return frame.starts_with("[stopped: ");
}

// "[unknown]", "[libfoo.so+0x12]" and "0x7f00" are addresses; "[vdso]" alone is one too.
bool is_named(std::string_view frame) {
  return !frame.starts_with('[') && !frame.starts_with("0x");
}

double percent(u64 part, u64 whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Result<Folded> Folded::parse(std::string_view text) {
  Folded folded;
  while (!text.empty()) {
    const std::string_view line = take_until(text, '\n');
    folded.stacks_.push_back(TRY_CTX(parse_line(line), "folded"));
    folded.samples_ += folded.stacks_.back().count;
  }
  return folded;
}

std::size_t Folded::deepest() const {
  std::size_t deepest = 0;
  for (const FoldedStack& stack : stacks_) deepest = std::max(deepest, stack.frames.size() - 1);
  return deepest;
}

double Folded::total_percent(std::string_view function) const {
  u64 found = 0;
  for (const FoldedStack& stack : stacks_) {
    if (std::ranges::find(stack.frames, function) != stack.frames.end()) found += stack.count;
  }
  return percent(found, samples_);
}

double Folded::self_percent(std::string_view function) const {
  u64 found = 0;
  for (const FoldedStack& stack : stacks_) {
    if (stack.frames.back() == function) found += stack.count;
  }
  return percent(found, samples_);
}

double Folded::named_percent() const {
  u64 named = 0;
  u64 all = 0;
  for (const FoldedStack& stack : stacks_) {
    for (std::size_t i = 1; i < stack.frames.size(); ++i) {
      if (is_separator(stack.frames[i]) || is_remark(stack.frames[i])) continue;
      all += stack.count;
      if (is_named(stack.frames[i])) named += stack.count;
    }
  }
  return percent(named, all);
}

}  // namespace wick::test
