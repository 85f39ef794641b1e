// What Ruby's objects say of themselves: instruction sequences (label, file, lines), method entries
// of C functions, strings, names by number. Read from the memory of the process they live in, which
// may hold anything: every size is bounded, nothing is followed in a loop, and every text is made
// printable. CRuby 3.1. Used by RubyNamer. Thread rule: free functions, no state.
//
//   const auto body = iseq_body(object_bytes);                  // of a 40-byte object
//   const auto code = parse_ruby_body(body_bytes);
//   read_ruby_string(code->label, read)                         // "block in sell"
//   read_ruby_line(*code, position, read)
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/ids.h"
#include "runtime/process_memory.h"

namespace wick {

inline constexpr std::size_t kRubyObjectBytes = 40;
inline constexpr std::size_t kRubyBodyBytes = 0x98;

// What is read of the body of an instruction sequence.
struct RubyCode {
  u64 file = 0;   // a String, or an Array whose first one it is
  u64 label = 0;  // a String
  u32 first_line = 0;
  u64 lines = 0;  // an entry for each instruction that begins a line
  u32 line_count = 0;
  u64 line_index = 0;  // which entry an instruction has
  bool operator==(const RubyCode&) const = default;
};

// Where its body is; nothing when the object is no instruction sequence.
[[nodiscard]] std::optional<u64> iseq_body(std::span<const std::byte> object);
[[nodiscard]] std::optional<RubyCode> parse_ruby_body(std::span<const std::byte> body);

// The definition of a method; nothing when the object is no method entry.
[[nodiscard]] std::optional<u64> method_definition(std::span<const std::byte> object);
// The name it was defined with, by its number; 0: it cannot be read.
[[nodiscard]] u64 read_method_id(u64 definition, const ReadMemory& read);
// `symbols` is the address of the table of all names.
[[nodiscard]] std::optional<std::string> read_ruby_id(u64 id, u64 symbols, const ReadMemory& read);

[[nodiscard]] std::optional<std::string> read_ruby_string(u64 address, const ReadMemory& read);
[[nodiscard]] std::optional<std::string> read_ruby_path(u64 address, const ReadMemory& read);
// Of the instruction at `position`; 0: not known.
[[nodiscard]] u32 read_ruby_line(const RubyCode& code, u32 position, const ReadMemory& read);

}  // namespace wick
