// The tools are declarations on shared shapes: small, tested, documented, and no two say the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "source_tree.h"

namespace wick::test {
namespace {

constexpr auto kToolLines = 80;
constexpr auto kBpfLines = 130;
constexpr std::size_t kBlock = 6;

// Commands that are no declaration on the event, histogram or table shape, and why.
const std::map<std::string, std::string>& exempt() {
  static const std::map<std::string, std::string> commands{
      {"profile", "samples: events, rates and commands to start are its own"},
      {"offcputime", "stacks: the options of three bcc tools"},
      {"offwaketime", "stacks of two tasks"},
      {"wakeuptime", "stacks of the waker"},
      {"wall", "stacks on and off the CPU in one profile"},
      {"mutex", "locks of a process by uprobes, a report of its own"},
      {"deadlock", "a graph of locks over the whole run"},
      {"sched", "a timeline of every switch"},
      {"stat", "counters of perf_event_open, without a BPF program"},
      {"report", "reads profiles"},
      {"script", "reads profiles"},
      {"convert", "reads profiles"},
      {"diff", "reads profiles"},
      {"view", "serves a report"},
      {"doctor", "asks the kernel what it allows"},
      {"list", "tells of the commands"},
  };
  return commands;
}

std::string name_of(const SourceFile& file) {
  const std::string name = file.path.substr(file.path.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

bool is_tool(const SourceFile& file) {
  return file.is_under("src/tools/") && file.path.ends_with(".cpp");
}
bool is_program(const SourceFile& file) {
  return file.path.ends_with(".bpf.c") && std::ranges::count(file.path, '/') == 1;
}

std::vector<std::string> tools() {
  std::vector<std::string> names;
  for (const SourceFile& file : source_tree())
    if (is_tool(file)) names.push_back(name_of(file));
  return names;
}

bool has_file(std::string_view path) {
  return std::ranges::find(source_tree(), path, &SourceFile::path) != source_tree().end();
}

// What tells one tool from another: no blank lines, comments, includes, namespaces, nor lines
// without a letter or digit.
std::optional<std::string> telling(std::string_view line) {
  line = trim(line);
  for (const std::string_view start : {"//", "/*", "*", "#include", "namespace", "using O ="})
    if (line.starts_with(start)) return {};
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  if (!std::ranges::any_of(line, is_word)) return {};
  return std::string(line);
}

struct Block {
  std::string path;
  int line = 0;
};

// The first place of every six lines of tools, and what stands in another tool too.
std::vector<std::string> repeated_blocks(const std::vector<const SourceFile*>& files) {
  std::map<std::string, Block> seen;
  std::vector<std::string> found;
  for (const SourceFile* file : files) {
    std::vector<std::pair<int, std::string>> lines;
    int number = 0;
    for (const std::string_view line : split(file->text, '\n')) {
      ++number;
      if (auto text = telling(line)) lines.emplace_back(number, std::move(*text));
    }
    for (std::size_t i = 0; i + kBlock <= lines.size(); i++) {
      std::string block;
      for (std::size_t j = i; j < i + kBlock; j++) block += lines[j].second + "\n";
      const auto [at, is_new] = seen.try_emplace(block, Block{file->path, lines[i].first});
      if (!is_new && at->second.path != file->path)
        found.push_back(fmt::format("{}:{} and {}:{} have the same six lines:\n{}", file->path,
                                    lines[i].first, at->second.path, at->second.line, block));
    }
  }
  return found;
}

TEST(Toolbox, EachToolIsASmallDeclaration) {
  for (const SourceFile& file : source_tree()) {
    if ((!is_tool(file) && !is_program(file)) || exempt().contains(name_of(file))) continue;
    EXPECT_LE(std::ranges::count(file.text, '\n'), is_tool(file) ? kToolLines : kBpfLines)
        << file.path << ": what it has too much belongs into a shape (src/tool, bpf/lib)";
  }
}

TEST(Toolbox, WhatIsExemptExists) {
  const std::vector<std::string> names = tools();
  for (const auto& [name, why] : exempt())
    EXPECT_TRUE(std::ranges::find(names, name) != names.end()) << name << " (" << why << ")";
}

TEST(Toolbox, NoSixLinesStandInTwoTools) {
  std::vector<const SourceFile*> commands;
  std::vector<const SourceFile*> programs;
  for (const SourceFile& file : source_tree()) {
    if (is_tool(file)) commands.push_back(&file);
    if (is_program(file)) programs.push_back(&file);
  }
  for (const auto& files : {commands, programs})
    for (const std::string& block : repeated_blocks(files)) ADD_FAILURE() << block;
}

TEST(Toolbox, EachToolIsTestedAndHasAPage) {
  std::string scripts;
  for (const SourceFile& file : source_tree())
    if (file.is_under("tests/native/")) scripts += file.text;
  for (const std::string& name : tools()) {
    EXPECT_TRUE(has_file(fmt::format("tests/kernel/{}.test", name)) ||
                scripts.contains(fmt::format("wick {} ", name)))
        << name << " has neither tests/kernel/" << name << ".test nor one in tests/native";
    EXPECT_TRUE(has_file(fmt::format("docs/tools/{}.md", name)))
        << name << " has no page: run scripts/docs";
  }
}

TEST(Toolbox, EachToolHasTwoExamples) {
  for (const SourceFile& file : source_tree()) {
    if (!is_tool(file)) continue;
    std::size_t examples = 0;
    for (const std::string_view line : split(file.text, '\n')) {
      const std::string_view text = trim(line);
      if (text.starts_with("Example{\"wick ") || text.starts_with("{\"wick ")) examples++;
    }
    EXPECT_GE(examples, 2U) << file.path;
  }
}

// A page of a command that is gone leads astray.
TEST(Toolbox, EachPageHasItsTool) {
  const std::vector<std::string> names = tools();
  for (const SourceFile& file : source_tree()) {
    if (!file.is_under("docs/tools/") || !file.path.ends_with(".md")) continue;
    EXPECT_TRUE(std::ranges::find(names, name_of(file)) != names.end()) << file.path;
  }
}

}  // namespace
}  // namespace wick::test
