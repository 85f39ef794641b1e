#include "source_tree.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/fd.h"
#include "base/text.h"

namespace wick::test {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = 4U << 20;

std::vector<SourceFile> read_tree() {
  const fs::path root = WICK_SOURCE_DIR;
  const std::set<std::string> skipped{".git", "build", "node_modules", "corpus"};
  std::vector<SourceFile> files;
  for (auto entry = fs::recursive_directory_iterator(root);
       entry != fs::recursive_directory_iterator(); ++entry) {
    if (skipped.contains(entry->path().filename().string())) {
      if (entry->is_directory()) entry.disable_recursion_pending();
      continue;  // .git is a file in a worktree
    }
    if (!entry->is_regular_file()) continue;
    const auto text = read_file(entry->path().string(), kLargestFile);
    if (!text || text->contains('\0')) continue;  // a picture, a recorded binary
    files.push_back({.path = fs::relative(entry->path(), root).string(), .text = *text});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

}  // namespace

bool SourceFile::ends_with_any(std::initializer_list<std::string_view> endings) const {
  return std::ranges::any_of(endings, [&](std::string_view end) { return path.ends_with(end); });
}

const std::vector<SourceFile>& source_tree() {
  static const std::vector<SourceFile> files = read_tree();
  return files;
}

std::string_view layer_of(std::string_view path) {
  if (!path.starts_with("src/")) return {};
  path.remove_prefix(4);
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::vector<Include> includes_of(const SourceFile& file) {
  std::vector<Include> includes;
  int number = 0;
  for (std::string_view line : split(file.text, '\n')) {
    ++number;
    line = trim(line);
    if (!line.starts_with("#include ")) continue;
    line = trim(line.substr(9));
    const bool quoted = line.starts_with('"');
    const std::size_t end = line.find(quoted ? '"' : '>', 1);
    if (end == std::string_view::npos) continue;
    includes.push_back(
        {.line = number, .name = std::string(line.substr(1, end - 1)), .quoted = quoted});
  }
  return includes;
}

}  // namespace wick::test
