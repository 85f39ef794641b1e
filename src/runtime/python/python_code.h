// What a Python code object says of itself: function, file, lines. Read from the memory of the
// process it lives in, which may hold anything: every size is bounded and every text made
// printable. Used by PythonNamer. Thread rule: free functions, no state.
//
//   const auto code = parse_python_code(layout, bytes_at(address));
//   const auto name = read_python_str(layout, code->name, str_type, read);    // "Shop.<locals>.f"
//   line_at(parse_line_table(bytes, code->first_line), instruction)
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "runtime/process_memory.h"
#include "runtime/python/python_layout.h"

namespace wick {

// So many bytes of a code object are enough.
inline constexpr std::size_t kPythonCodeBytes = 512 + 8;

struct PythonCode {
  u64 type = 0;   // address of what it is an object of
  u64 file = 0;   // a str
  u64 name = 0;   // a str
  u64 lines = 0;  // a bytes object
  u32 first_line = 0;
  bool operator==(const PythonCode&) const = default;
};

// How far parse_python_code looks into an object of this layout.
[[nodiscard]] std::size_t python_code_bytes(const PythonLayout& layout);
[[nodiscard]] std::optional<PythonCode> parse_python_code(const PythonLayout& layout,
                                                          std::span<const std::byte> bytes);

// A str as UTF-8. `type` is the address of PyUnicode_Type, 0 when not known. Nothing when it is no
// such object; what is too long is cut.
[[nodiscard]] std::optional<std::string> read_python_str(const PythonLayout& layout, u64 address,
                                                         u64 type, const ReadMemory& read);
// The contents of a bytes object, up to 256 KB.
[[nodiscard]] std::optional<std::vector<std::byte>> read_python_bytes(const PythonLayout& layout,
                                                                      u64 address, u64 type,
                                                                      const ReadMemory& read);

// Instructions before `end`, in units of two bytes, and from the end of the range before.
struct PythonLine {
  u32 end = 0;
  u32 line = 0;  // 0: none
  bool operator==(const PythonLine&) const = default;
};

// co_linetable of 3.11 on: what can be read of it.
[[nodiscard]] std::vector<PythonLine> parse_line_table(std::span<const std::byte> table,
                                                       u32 first_line);
// 0: not known.
[[nodiscard]] u32 line_at(std::span<const PythonLine> lines, u32 instruction);

}  // namespace wick
