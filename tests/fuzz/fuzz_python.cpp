// Any bytes as the memory of a Python process: what is read of code objects, texts and line tables
// stays in bounds, is printable and in order.
#include <algorithm>
#include <cstring>

#include "runtime/python/python_code.h"

namespace {

void check_text(const std::string& text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) __builtin_trap();
}

void check_lines(std::span<const std::byte> table) {
  wick::u32 last = 0;
  for (const wick::PythonLine& line : wick::parse_line_table(table, 1)) {
    if (line.end <= last) __builtin_trap();
    last = line.end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 1) return 0;
  const auto image = std::as_bytes(std::span{data + 1, size - 1});
  const wick::u32 versions[] = {0x030B02F0, 0x030C01F0, 0x030D00F0, 0x030E00F0};
  const auto layout = wick::python_layout(versions[data[0] % 4], image);
  check_lines(image);
  if (!layout) return 0;
  const wick::ReadMemory read = [&](wick::u64 address, std::span<std::byte> out) {
    if (address > image.size() || out.size() > image.size() - address) return false;
    std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(address), out.size(), out.begin());
    return true;
  };
  const auto code = wick::parse_python_code(*layout, image);
  if (!code) return 0;
  for (const wick::u64 address : {code->name, code->file, wick::u64{1}})
    if (const auto text = wick::read_python_str(*layout, address, 0, read)) check_text(*text);
  if (const auto table = wick::read_python_bytes(*layout, code->lines, 0, read))
    check_lines(*table);
  return 0;
}
