#include "formats/frame_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace wick {
namespace {

constexpr std::string_view kUnknown = "[unknown]";
constexpr std::string_view kInlined = "inlined";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kDigits = "0123456789";

// Where the parenthesis opens that the last character closes; npos when none does.
std::size_t opening_parenthesis(std::string_view text) {
  std::size_t open = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') open++;
    if (text[i] == '(' && --open == 0) return i;
  }
  return std::string_view::npos;
}

// Areas of a process that are shown in brackets, as kernel modules are.
bool is_area_of_process(std::string_view object) {
  constexpr std::array<std::string_view, 7> kAreas{"[vdso]", "[vsyscall]", "[heap]",  "[stack",
                                                   "[anon",  "[uprobes]",  "[unknown"};
  return std::ranges::any_of(kAreas, [&](auto area) { return object.starts_with(area); });
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0: the whole
}

std::string unknown_name(std::string_view object) {
  if (object.empty() || object == kUnknown || object == "//anon") return std::string(kUnknown);
  std::string_view name = file_name(object);
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return fmt::format("[{}]", name);
}

}  // namespace

std::string_view without_offset(std::string_view symbol) {
  const std::size_t plus = symbol.rfind('+');
  if (plus == std::string_view::npos || plus == 0) return symbol;
  std::string_view offset = symbol.substr(plus + 1);
  const bool hex = offset.starts_with("0x");
  if (hex) offset.remove_prefix(2);
  if (offset.empty() || offset.find_first_not_of(hex ? kHexDigits : kDigits) != offset.npos)
    return symbol;
  return symbol.substr(0, plus);
}

std::optional<FrameText> split_frame(std::string_view line) {
  line = trim(line);
  const std::size_t space = line.find(' ');
  const auto address = parse_number<u64>(line.substr(0, space), 16);
  if (!address || line.front() == '-') return std::nullopt;
  FrameText out{.address = *address, .symbol = {}, .object = {}};
  if (space == std::string_view::npos) return out;
  std::string_view rest = trim(line.substr(space));
  if (rest.ends_with(')')) {
    const std::size_t open = opening_parenthesis(rest);
    if (open == 0 || (open != rest.npos && rest[open - 1] == ' ')) {
      out.object = rest.substr(open + 1, rest.size() - open - 2);
      rest = trim(rest.substr(0, open));
    }
  }
  out.symbol = without_offset(rest);
  return out;
}

bool is_kernel_object(std::string_view object) {
  if (object.starts_with('[')) return !is_area_of_process(object);
  const std::string_view name = file_name(object);
  return name.ends_with(".ko") || name.contains(".ko.") || name.starts_with("vmlinux") ||
         object.starts_with("bpf_prog_") || object.starts_with("bpf_trampoline_");
}

bool is_jit_object(std::string_view object) {
  const std::string_view name = file_name(object);
  return (name.starts_with("perf-") && name.ends_with(".map")) ||
         (name.starts_with("jitted-") && name.ends_with(".so"));
}

Frame make_frame(Profile& profile, const FrameText& text) {
  Frame frame{.address = text.address};
  const bool known_object = text.object != kUnknown && text.object != kInlined;
  if (text.object == kInlined)
    frame.kind = FrameKind::inlined;
  else if (is_kernel_object(text.object) || (!known_object && is_kernel_address(text.address)))
    frame.kind = FrameKind::kernel;
  else if (is_jit_object(text.object))
    frame.kind = FrameKind::jit;
  if (known_object && !text.object.empty())
    frame.mapping = profile.add_mapping({.path = profile.strings.intern(text.object)});
  // bpftrace repeats the address where it has no name.
  frame.named = !text.symbol.empty() && text.symbol != kUnknown && !text.symbol.starts_with("0x");
  frame.name = frame.named ? profile.strings.intern(text.symbol)
                           : profile.strings.intern(unknown_name(text.object));
  return frame;
}

}  // namespace wick
