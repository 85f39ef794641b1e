// Rules of the house that a person would otherwise have to remember: sizes, licences, who prints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>

#include "base/text.h"
#include "source_tree.h"

namespace wick::test {

namespace {

bool is_code(const SourceFile& file) {
  return file.ends_with_any({".cpp", ".h", ".c"}) &&
         (file.is_under("src/") || file.is_under("bpf/") || file.is_under("tests/") ||
          file.is_under("bench/"));
}

// The code of a line, without strings and comments: they may say "exit" as they like.
std::string code_of(std::string_view line) {
  static const std::regex strings(R"("([^"\\]|\\.)*")");
  static const std::regex comment("//.*");
  const std::string text = std::regex_replace(std::string(line), strings, "\"\"");
  return std::regex_replace(text, comment, "");
}

// "file:12: line" for every line that matches, comments and strings too.
std::vector<std::string> lines_saying(const SourceFile& file, const std::regex& pattern) {
  std::vector<std::string> found;
  int number = 0;
  for (const std::string_view line : split(file.text, '\n')) {
    ++number;
    if (std::regex_search(std::string(line), pattern))
      found.push_back(fmt::format("{}:{}: {}", file.path, number, trim(line)));
  }
  return found;
}

// The same for its code alone.
std::vector<std::string> lines_matching(const SourceFile& file, const std::regex& pattern) {
  std::vector<std::string> found;
  int number = 0;
  for (const std::string_view line : split(file.text, '\n')) {
    ++number;
    if (!std::regex_search(code_of(line), pattern)) continue;
    found.push_back(fmt::format("{}:{}: {}", file.path, number, trim(line)));
  }
  return found;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += "\n" + line;
  return all;
}

}  // namespace

TEST(HouseRules, NoSourceFileIsLongerThan500Lines) {
  constexpr auto kWarn = 400;
  constexpr auto kFail = 500;
  for (const SourceFile& file : source_tree()) {
    if (!is_code(file)) continue;
    const auto lines = std::ranges::count(file.text, '\n');
    EXPECT_LE(lines, kFail) << file.path;
    if (lines > kWarn) fmt::print("warning: {} has {} lines\n", file.path, lines);
  }
}

TEST(HouseRules, OnlyTheCommandLinePrintsAndExits) {
  const std::regex speaks(
      R"(\b(std::)?(cerr|cout|clog)\b|\bstd(err|out)\b|\b(fmt::print|printf|puts|perror)\s*\()"
      R"(|\b(std::|::)?(exit|quick_exit|abort)\s*\()");
  for (const SourceFile& file : source_tree()) {
    const bool may = file.path == "src/main.cpp" || layer_of(file.path) == "cli";
    if (may || !file.is_under("src/")) continue;
    const auto found = lines_matching(file, speaks);
    EXPECT_TRUE(found.empty()) << joined(found);
  }
}

TEST(HouseRules, ErrorsAreResultsNotExceptions) {
  const std::regex throws(R"(\bthrow\b)");
  for (const SourceFile& file : source_tree()) {
    if (!file.is_under("src/")) continue;
    const auto found = lines_matching(file, throws);
    EXPECT_TRUE(found.empty()) << joined(found);
  }
}

// A clone anywhere must build: no folder of one machine, no mirror of one company.
TEST(HouseRules, NothingNamesOneMachine) {
  // A path starts here: /proc/PID/root/ is another thing. The words are broken up, so that this
  // file does not accuse itself.
  const std::regex place(
      "(^|[^A-Za-z0-9_}./])/(wor"
      "k|roo"
      "t)/|registry\\.npm"
      "js|proxy\\.gol"
      "ang"
      "|deb\\.debi"
      "an");
  for (const SourceFile& file : source_tree()) {
    std::smatch match;
    const bool found = std::regex_search(file.text, match, place);
    EXPECT_FALSE(found) << file.path << " names " << match.str();
  }
}

TEST(HouseRules, EveryBpfFileIsGpl) {
  for (const SourceFile& file : source_tree()) {
    if (!file.is_under("bpf/") || !file.ends_with_any({".c", ".h"})) continue;
    const std::string first_lines = file.text.substr(0, 200);
    EXPECT_TRUE(first_lines.contains("SPDX-License-Identifier: GPL-2.0")) << file.path;
  }
}

// The kernel refuses GPL helpers to a program that does not say so, by itself or by a header.
TEST(HouseRules, EveryBpfProgramTellsTheKernelItsLicence) {
  const auto says_it = [](std::string_view path) {
    const auto file = std::ranges::find(source_tree(), path, &SourceFile::path);
    return file != source_tree().end() && file->text.contains("SEC(\"license\")");
  };
  for (const SourceFile& file : source_tree()) {
    if (!file.path.ends_with(".bpf.c")) continue;
    const auto includes = includes_of(file);
    const bool said = says_it(file.path) || std::ranges::any_of(includes, says_it, &Include::name);
    EXPECT_TRUE(said) << file.path << " has no licence section";
  }
}

// A runtime is a folder of src/runtime and its BPF files: generic code names none of them.
TEST(HouseRules, GenericCodeKnowsNoRuntime) {
  std::vector<std::string> names;
  for (const SourceFile& file : source_tree()) {
    std::smatch match;
    if (std::regex_match(file.path, match, std::regex("src/runtime/([a-z]+)/.*_runtime\\.h")))
      names.push_back(match[1]);
  }
  ASSERT_FALSE(names.empty());
  for (const SourceFile& file : source_tree()) {
    if (!file.is_under("src/") && !file.is_under("bpf/")) continue;
    if (file.is_under("bpf/runtime/") || file.is_under("bpf/abi/runtime/")) continue;
    for (const std::string& name : names) {
      if (file.is_under("src/runtime/" + name + "/")) continue;
      const auto found = lines_saying(file, std::regex(name, std::regex::icase));
      EXPECT_TRUE(found.empty()) << joined(found);
    }
  }
}

TEST(HouseRules, HeadersAreIncludedOnceAndSayWhatTheyAre) {
  for (const SourceFile& file : source_tree()) {
    if (!file.is_under("src/") || !file.path.ends_with(".h")) continue;
    EXPECT_TRUE(file.text.contains("#pragma once\n")) << file.path;
    EXPECT_TRUE(file.text.starts_with("//")) << file.path << " opens without a word about itself";
  }
}

TEST(HouseRules, EveryDecisionIsListed) {
  std::string list;
  for (const SourceFile& file : source_tree()) {
    if (file.path == "docs/decisions/README.md") list = file.text;
  }
  if (list.empty()) GTEST_SKIP() << "docs/decisions has no README.md yet";
  for (const SourceFile& file : source_tree()) {
    if (!file.is_under("docs/decisions/") || !file.path.ends_with(".md")) continue;
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    EXPECT_TRUE(name == "README.md" || list.contains(name)) << file.path;
  }
}

TEST(HouseRules, ScriptsAreExecutableAndStopAtErrors) {
  for (const SourceFile& file : source_tree()) {
    if (!file.text.starts_with("#!/bin/bash")) continue;
    EXPECT_TRUE(std::regex_search(file.text, std::regex("set -[eu]*u"))) << file.path;
  }
}

}  // namespace wick::test
