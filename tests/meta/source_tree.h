// The repository as the meta tests see it: the files Git would know, with their text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wick::test {

struct SourceFile {
  std::string path;  // from the root: "src/base/fd.h"
  std::string text;

  [[nodiscard]] bool is_under(std::string_view folder) const { return path.starts_with(folder); }
  [[nodiscard]] bool ends_with_any(std::initializer_list<std::string_view> endings) const;
};

// Every text file of the tree but build/ and .git/; read once.
[[nodiscard]] const std::vector<SourceFile>& source_tree();

// "src/proc/maps.h" -> "proc"; empty for a file that is in no layer, such as src/main.cpp.
[[nodiscard]] std::string_view layer_of(std::string_view path);

struct Include {
  int line = 0;
  std::string name;     // "base/fd.h"
  bool quoted = false;  // "..." rather than <...>
};
[[nodiscard]] std::vector<Include> includes_of(const SourceFile& file);

}  // namespace wick::test
