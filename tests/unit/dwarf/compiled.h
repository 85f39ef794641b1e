// Programs compiled by the test itself, so that what their debug information says is known.
#pragma once

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/open_regular.h"
#include "dwarf/source_lines.h"
#include "object/elf_symbols.h"

namespace wick::test {

struct OwnedFrame {
  std::string function;
  std::string file;
  u32 line = 0;
  bool operator==(const OwnedFrame&) const = default;
  friend void PrintTo(const OwnedFrame& frame, std::ostream* out) {
    *out << frame.function << " " << frame.file << ":" << frame.line;
  }
};
using Chain = std::vector<OwnedFrame>;

class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "dwarfXXXXXX";
    path_ = ::mkdtemp(name.data()) != nullptr ? name : "";
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    if (!path_.empty()) std::filesystem::remove_all(path_);
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream{*this / name} << text;
  }
  // A command in the folder; true when it went well.
  [[nodiscard]] bool run(const std::string& command) const {
    return std::system(("cd " + path_ + " && " + command + " >log 2>&1").c_str()) == 0;  // NOLINT
  }

 private:
  std::string path_;
};

inline bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;  // NOLINT
}

inline std::vector<Chain> chains_of(SourceLines& lines, std::span<const u64> vaddrs) {
  std::vector<Chain> out(vaddrs.size());
  lines.resolve(vaddrs, [&](std::size_t i, std::span<const SourceFrame> frames) {
    for (const SourceFrame& frame : frames)
      out[i].push_back({std::string{frame.function}, std::string{frame.file}, frame.line});
  });
  return out;
}

inline Result<ElfFile> open_elf(const std::string& path) {
  return ElfFile::open(TRY(open_regular("", path)));
}

// Every address of a function, or of all of them.
inline std::vector<u64> addresses_of(const ElfFile& elf, std::string_view function = {}) {
  std::vector<u64> out;
  const ElfSection* table = elf.section_of_type(SHT_SYMTAB);
  if (table == nullptr) table = elf.section_of_type(SHT_DYNSYM);
  if (table == nullptr) return out;
  const ElfSection* names = elf.section_at(table->link);
  const auto text = names != nullptr ? elf.read_section(*names) : Result<std::vector<std::byte>>{};
  (void)for_each_function(elf, *table, [&](const ElfFunction& f) {
    if (f.name >= text->size()) return;
    const char* name = reinterpret_cast<const char*>(text->data() + f.name);
    if (!function.empty() && function != name) return;
    for (u64 i = 0; i < f.size; i++) out.push_back(f.start + i);
  });
  return out;
}

}  // namespace wick::test
