#include "symbols/jit_name.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace wick {
namespace {

constexpr std::array<std::string_view, 5> kScriptTags{
    "JS:", "LazyCompile:", "Function:", "Eval:", "Script:"};
constexpr std::string_view kTiers = "~^+*";

// Letters of Java's names: anything that does not separate something.
bool is_java_word(std::string_view text) {
  return !text.empty() && text.find_first_of(" ();[]:,\"'\\") == std::string_view::npos;
}

std::string with_dots(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '/', '.');
  return out;
}

// Lnet/foo/Bar;::baz, Lnet/foo/Bar;baz(I)V
std::optional<std::string> from_descriptor(std::string_view raw) {
  const std::size_t end = raw.find(';');
  if (!raw.starts_with('L') || end == std::string_view::npos) return std::nullopt;
  const std::string_view type = raw.substr(1, end - 1);
  std::string_view method = raw.substr(end + 1);
  if (method.starts_with("::")) method.remove_prefix(2);
  method = method.substr(0, method.find('('));
  if (!is_java_word(type) || !is_java_word(method)) return std::nullopt;
  return with_dots(type) + "." + std::string(method);
}

// perf-map-agent, told to unfold inlined methods: the outer one first, "->" between.
std::optional<std::string> from_descriptors(std::string_view raw) {
  std::string out;
  while (true) {
    const std::size_t arrow = raw.find("->L");
    auto part = from_descriptor(raw.substr(0, arrow));
    if (!part) return std::nullopt;
    out += *part;
    if (arrow == std::string_view::npos) return out;
    out += "->";
    raw.remove_prefix(arrow + 2);
  }
}

// int net.foo.Bar.baz(java.lang.String, int), net.foo.Bar::baz(int)
std::optional<std::string> from_signature(std::string_view raw) {
  const std::size_t open = raw.find('(');
  if (open == std::string_view::npos || !raw.ends_with(')')) return std::nullopt;
  if (raw.find_first_of("()", open + 1) != raw.size() - 1) return std::nullopt;
  std::string_view name = raw.substr(0, open);
  if (const std::size_t blank = name.find(' '); blank != std::string_view::npos) {
    if (name.substr(0, blank).find_first_of("();:,\"'\\") != std::string_view::npos)
      return std::nullopt;
    name.remove_prefix(blank + 1);
  }
  std::string_view type = name;
  std::string_view method;
  if (const std::size_t colons = name.find("::"); colons != std::string_view::npos) {
    type = name.substr(0, colons);
    method = name.substr(colons + 2);
  } else if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) {
    type = name.substr(0, dot);
    method = name.substr(dot + 1);
  }
  if (!is_java_word(type) || !is_java_word(method)) return std::nullopt;
  // C++ has `void foo::bar(int)` too: a Java class has a package, or the dot of the newer form.
  if (name.contains("::") && !type.contains('.')) return std::nullopt;
  return std::string(type) + "." + std::string(method);
}

// "/srv/app.js:3:14" -> "/srv/app.js", 3
void take_place(std::string_view text, JitName& out) {
  const std::size_t column = text.rfind(':');
  if (column == std::string_view::npos) return;
  std::size_t line = text.rfind(':', column - 1);
  if (column == 0 || line == std::string_view::npos) line = column;
  const std::size_t end = line == column ? text.size() : column;
  const auto number = parse_number<u32>(text.substr(line + 1, end - line - 1));
  if (!number) return;
  out.file = text.substr(0, line);
  out.line = *number;
}

std::optional<JitName> from_script(std::string_view raw) {
  const auto tag = std::ranges::find_if(kScriptTags, [&](auto t) { return raw.starts_with(t); });
  if (tag == kScriptTags.end()) return std::nullopt;
  raw.remove_prefix(tag->size());
  std::size_t name_end = raw.find(' ');
  JitName out{.name = std::string(raw), .file = {}};
  if (name_end == std::string_view::npos) return out;
  take_place(raw.substr(name_end + 1), out);
  // A function without a name has its tier alone.
  if (name_end == 0 || (name_end == 1 && kTiers.contains(raw.front())))
    out.name.insert(name_end, "(anonymous)");
  return out;
}

}  // namespace

JitName readable_jit_name(std::string_view raw) {
  if (auto script = from_script(raw)) return *std::move(script);
  if (auto java = from_descriptors(raw)) return {.name = *std::move(java), .file = {}};
  if (auto java = from_signature(raw)) return {.name = *std::move(java), .file = {}};
  return {.name = std::string(raw), .file = {}};
}

}  // namespace wick
