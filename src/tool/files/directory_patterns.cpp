#include "tool/files/directory_patterns.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/text.h"

namespace wick {
namespace {

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> out;
  for (const std::string_view part : split(path, '/'))
    if (!part.empty()) out.emplace_back(part);
  return out;
}

bool has_wildcard(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

// "." and ".." and symbolic links are gone; nothing if it does not exist.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real{::realpath(path.c_str(), nullptr),
                                                         &std::free};
  return real ? std::string{real.get()} : std::string{};
}

Result<std::vector<std::string>> parse(const std::string& pattern) {
  const std::size_t wildcard = pattern.find_first_of("*?[");
  const std::size_t slash = pattern.rfind('/', wildcard);
  const bool is_plain = wildcard == std::string::npos;
  const std::string fixed = is_plain                     ? pattern
                            : slash == std::string::npos ? "."
                                                         : pattern.substr(0, slash + 1);
  const std::string real = real_path(fixed);
  // It may come later, but then it must be clear where.
  if (real.empty() && !fixed.starts_with('/'))
    return fail_usage(fmt::format("{}: no such directory", printable(pattern)),
                      "give a path that begins with /");
  std::vector<std::string> out = parts_of(real.empty() ? fixed : real);
  if (is_plain) return out;
  const std::string rest = slash == std::string::npos ? pattern : pattern.substr(slash + 1);
  for (std::string& part : parts_of(rest)) out.push_back(std::move(part));
  return out;
}

bool matches(const std::string& pattern, const std::string& part) {
  if (!has_wildcard(pattern)) return pattern == part;
  return ::fnmatch(pattern.c_str(), part.c_str(), FNM_PERIOD) == 0;
}

std::string first_parts(const std::vector<std::string>& parts, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; i++) out += '/' + parts[i];
  return out.empty() ? "/" : out;
}

}  // namespace

Result<DirectoryPatterns> DirectoryPatterns::of(const std::vector<std::string>& patterns) {
  DirectoryPatterns out;
  for (const std::string& pattern : patterns) out.patterns_.push_back(TRY(parse(pattern)));
  return out;
}

std::vector<std::string> DirectoryPatterns::above(std::string_view path) const {
  std::vector<std::string> out;
  if (!path.starts_with('/')) return out;
  const std::vector<std::string> parts = parts_of(path);
  if (parts.empty()) return out;
  if (patterns_.empty()) return {first_parts(parts, parts.size() - 1)};
  for (const std::vector<std::string>& pattern : patterns_) {
    if (pattern.size() >= parts.size()) continue;
    if (!std::ranges::equal(pattern.begin(), pattern.end(), parts.begin(),
                            parts.begin() + static_cast<std::ptrdiff_t>(pattern.size()), matches))
      continue;
    std::string directory = first_parts(parts, pattern.size());
    if (std::ranges::find(out, directory) == out.end()) out.push_back(std::move(directory));
  }
  return out;
}

}  // namespace wick
