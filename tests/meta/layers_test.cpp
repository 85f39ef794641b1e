// Who may include whom: docs/architecture.md, as a test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "base/text.h"
#include "source_tree.h"

namespace wick::test {

namespace {

using Ranks = std::map<std::string, int, std::less<>>;

Ranks read_ranks() {
  Ranks ranks;
  for (const SourceFile& file : source_tree()) {
    if (file.path != "src/layers.txt") continue;
    for (std::string_view line : split(file.text, '\n')) {
      line = trim(line);
      if (line.empty() || line.starts_with('#')) continue;
      const std::string_view rank = take_until(line, ' ');
      ranks.emplace(trim(line), parse_number<int>(rank).value_or(0));
    }
  }
  return ranks;
}

std::string place(const SourceFile& file, const Include& include) {
  return fmt::format("{}:{} includes {}", file.path, include.line, include.name);
}

// "src/tool/stack/gaps.h" -> "tool/stack", "src/tool/x.h" -> "tool"; empty outside src.
std::string_view folder_of(std::string_view path) {
  constexpr std::string_view kSrc = "src/";
  if (path.starts_with(kSrc)) path.remove_prefix(kSrc.size());
  const std::size_t end = path.rfind('/');
  return end == std::string_view::npos ? std::string_view{} : path.substr(0, end);
}

// Who includes whom among the folders of one layer, with a place for each.
using FolderIncludes = std::map<std::string, std::map<std::string, std::string>>;

FolderIncludes includes_inside_layers() {
  FolderIncludes out;
  for (const SourceFile& file : source_tree()) {
    const std::string_view layer = layer_of(file.path);
    if (layer.empty()) continue;
    const std::string_view own = folder_of(file.path);
    for (const Include& include : includes_of(file)) {
      const std::string_view other = folder_of(include.name);
      if (!include.quoted || other == own) continue;
      if (other == layer || other.starts_with(std::string(layer) + "/"))
        out[std::string(own)].try_emplace(std::string(other), place(file, include));
    }
  }
  return out;
}

// The folders reached from `from`, itself only if a way leads back to it.
std::set<std::string> reached(const FolderIncludes& includes, const std::string& from) {
  std::set<std::string> out;
  std::vector<std::string> open{from};
  while (!open.empty()) {
    const auto next = includes.find(open.back());
    open.pop_back();
    if (next == includes.end()) continue;
    for (const auto& [folder, where] : next->second)
      if (out.insert(folder).second) open.push_back(folder);
  }
  return out;
}

bool is_bpf_library(const Include& include) {
  return !include.quoted && include.name.starts_with("bpf/");
}

}  // namespace

TEST(Layers, EveryFolderOfSrcHasARank) {
  const Ranks ranks = read_ranks();
  ASSERT_FALSE(ranks.empty());
  for (const SourceFile& file : source_tree()) {
    const std::string_view layer = layer_of(file.path);
    if (layer.empty()) continue;
    EXPECT_TRUE(ranks.contains(layer)) << file.path << ": no rank in src/layers.txt";
  }
}

TEST(Layers, AFileIncludesOnlyLowerRanksAndItsOwnLayer) {
  const Ranks ranks = read_ranks();
  for (const SourceFile& file : source_tree()) {
    const auto own = ranks.find(layer_of(file.path));
    if (own == ranks.end()) continue;
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      std::string_view rest = include.name;
      const auto other = ranks.find(take_until(rest, '/'));
      if (rest.empty() || other == ranks.end() || other->first == own->first) continue;
      EXPECT_LT(other->second, own->second) << place(file, include);
    }
  }
}

// "elf_file.h" alone would compile inside its own folder and hide from the rule above.
TEST(Layers, IncludesOfSrcNameTheirLayer) {
  const Ranks ranks = read_ranks();
  for (const SourceFile& file : source_tree()) {
    if (!file.is_under("src/")) continue;
    for (const Include& include : includes_of(file)) {
      if (!include.quoted || include.name.ends_with(".skel.h")) continue;
      std::string_view rest = include.name;
      const std::string_view folder = take_until(rest, '/');
      EXPECT_TRUE(folder == "bpf" || ranks.contains(folder)) << place(file, include);
    }
  }
}

TEST(Layers, FoldersOfALayerFormNoCycle) {
  const FolderIncludes includes = includes_inside_layers();
  for (const auto& [folder, others] : includes) {
    for (const auto& [other, where] : others)
      EXPECT_FALSE(reached(includes, other).contains(folder))
          << where << ", and there is a way back";
  }
}

// Where src/layers.txt ranks the folders of a layer, it ranks all, and they include downwards.
TEST(Layers, AFolderWithARankIncludesOnlyLowerOnesOfItsLayer) {
  const Ranks ranks = read_ranks();
  for (const auto& [folder, others] : includes_inside_layers()) {
    const auto own = ranks.find(folder);
    for (const auto& [other, where] : others) {
      const auto lower = ranks.find(other);
      if (own == ranks.end() || lower == ranks.end()) continue;
      EXPECT_LT(lower->second, own->second) << where;
    }
  }
}

TEST(Layers, EveryFolderOfToolHasARank) {
  const Ranks ranks = read_ranks();
  for (const SourceFile& file : source_tree()) {
    if (!file.is_under("src/tool/")) continue;
    EXPECT_TRUE(ranks.contains(folder_of(file.path))) << file.path << ": no rank in src/layers.txt";
  }
}

TEST(Layers, NoFolderOfSrcHasMoreThan40Files) {
  std::map<std::string_view, int> files;
  for (const SourceFile& file : source_tree())
    if (file.is_under("src/")) files[folder_of(file.path)]++;
  for (const auto& [folder, count] : files) EXPECT_LE(count, 40) << folder;
}

TEST(Layers, UserSpaceSeesOnlyTheAbiOfBpf) {
  for (const SourceFile& file : source_tree()) {
    if (!file.is_under("src/")) continue;
    for (const Include& include : includes_of(file)) {
      if (!include.quoted || !include.name.starts_with("bpf/")) continue;
      EXPECT_TRUE(include.name.starts_with("bpf/abi/")) << place(file, include);
    }
  }
}

// The one exception makes bpf/ compile natively against stub helpers.
TEST(Layers, BpfIncludesOnlyBpf) {
  constexpr std::string_view kStubs = "tests/bpf/stub_helpers.h";
  for (const SourceFile& file : source_tree()) {
    if (!file.is_under("bpf/") || !file.ends_with_any({".c", ".h"})) continue;
    for (const Include& include : includes_of(file)) {
      if (!include.quoted || include.name == kStubs) continue;
      EXPECT_TRUE(include.name.starts_with("bpf/")) << place(file, include);
    }
  }
}

// What reads files of strangers is tested without root and fuzzed without a kernel.
TEST(Layers, PureLayersNeverSeeLibbpf) {
  constexpr std::array<std::string_view, 7> kPure{"base",  "profile", "object", "formats",
                                                  "views", "symbols", "proc"};
  for (const SourceFile& file : source_tree()) {
    if (std::ranges::find(kPure, layer_of(file.path)) == kPure.end()) continue;
    for (const Include& include : includes_of(file)) {
      EXPECT_FALSE(is_bpf_library(include)) << place(file, include);
    }
  }
}

}  // namespace wick::test
