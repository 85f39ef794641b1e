// Prints what SourceLines says of addresses on standard input, as `addr2line -i -f -C -a` does, for
// tests/native/lines.sh: source_lines FILE < addresses
#include <fmt/format.h>

#include <cstdio>
#include <iostream>

#include "base/open_regular.h"
#include "dwarf/source_lines.h"

namespace wick {
namespace {

std::string text_of(const SourceFrame& frame) {
  const std::string line = frame.line == 0 ? "?" : fmt::to_string(frame.line);
  return fmt::format("{}\n{}:{}\n", frame.function.empty() ? "??" : frame.function,
                     frame.file.empty() ? "??" : frame.file, line);
}

int print(const char* path) {
  auto fd = open_regular("", path);
  if (!fd) return 1;
  const auto elf = ElfFile::open(std::move(*fd));
  if (!elf) return 1;
  auto lines = SourceLines::open(*elf, {.path = path, .root = {}});
  if (!lines) {
    fmt::print(stderr, "{}: no debug information\n", path);
    return 1;
  }
  std::vector<u64> vaddrs;
  for (u64 vaddr = 0; std::cin >> std::hex >> vaddr;) vaddrs.push_back(vaddr);
  std::vector<std::string> texts(vaddrs.size());
  lines->resolve(vaddrs, [&](std::size_t i, std::span<const SourceFrame> frames) {
    for (const SourceFrame& frame : frames) texts[i] += text_of(frame);
    if (frames.empty()) texts[i] = text_of({});
  });
  for (std::size_t i = 0; i < vaddrs.size(); i++) fmt::print("0x{:016x}\n{}", vaddrs[i], texts[i]);
  return lines->damaged() ? 3 : 0;
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  return argc == 2 ? wick::print(argv[1]) : 2;
}
