// Which code of the privileged process may parse strangers' bytes itself: none but what is listed
// here. Everything else asks the confined worker (src/worker, docs/decisions/0036).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "source_tree.h"

namespace wick::test {

namespace {

// What runs with Wick's privileges, above the parsers.
constexpr std::string_view kPrivileged[] = {"src/process/", "src/tool/",  "src/tools/",
                                            "src/lang/",    "src/agent/", "src/cli/"};

// Folders and headers that read bytes which somebody else wrote.
constexpr std::string_view kParsers[] = {
    "object/",
    "dwarf/",
    "symbols/object_symbols.h",
    "symbols/symbol_table.h",
    "symbols/name_source.h",
    "symbols/debug_file.h",
    "symbols/go_symbols.h",
    "symbols/function_finder.h",
    "symbols/variable_names.h",
    "symbols/perf_map.h",
    "symbols/jitdump.h",
    "symbols/vdso.h",
    "unwind/cfi.h",
    "unwind/go_rows.h",
    "unwind/root_functions.h",
    "worker/name_work.h",
};

// Still there, within budgets. Take a line out when its reader has moved to the worker; add none.
const std::set<std::pair<std::string, std::string>> kExceptions = {
    {"src/process/jit_watch.h", "symbols/jitdump.h"},
    {"src/process/jit_watch.h", "symbols/perf_map.h"},
    {"src/tool/lock/lock_names.cpp", "symbols/variable_names.h"},
    {"src/tool/lock/lock_names.h", "object/elf_file.h"},
    {"src/tool/lock/probe_targets.cpp", "symbols/function_finder.h"},
};

bool is_privileged(const SourceFile& file) {
  return std::ranges::any_of(kPrivileged, [&](auto folder) { return file.is_under(folder); });
}

bool is_parser(const std::string& header) {
  return std::ranges::any_of(kParsers, [&](auto parser) { return header.starts_with(parser); });
}

}  // namespace

TEST(Parsers, ThePrivilegedProcessAsksTheWorker) {
  std::set<std::pair<std::string, std::string>> found;
  for (const SourceFile& file : source_tree()) {
    if (!is_privileged(file)) continue;
    for (const Include& include : includes_of(file))
      if (include.quoted && is_parser(include.name)) found.emplace(file.path, include.name);
  }
  for (const auto& [file, header] : found)
    EXPECT_TRUE(kExceptions.contains({file, header})) << file << " includes " << header;
  for (const auto& [file, header] : kExceptions)
    EXPECT_TRUE(found.contains({file, header}))
        << file << " no longer includes " << header << ": take it out of the list";
}

}  // namespace wick::test
