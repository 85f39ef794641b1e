#include "runtime/python/python_code.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/byte_reader.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr u64 kMaxCharacters = 4096;
// A name of a kilobyte says enough, and every stack repeats it.
constexpr std::size_t kMaxPythonName = 1024;
constexpr u64 kMaxTable = u64{256} << 10;
// Head of a str or bytes object, up to its data.
constexpr std::size_t kMaxHead = 512 + 32;

// Bits of PyASCIIObject.state.
constexpr u32 kKindShift = 2;
constexpr u32 kKindMask = 7;
constexpr u32 kCompact = 1U << 5;
constexpr u32 kAscii = 1U << 6;

template <class T>
T field(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof(T) <= bytes.size()) std::memcpy(&value, &bytes[offset], sizeof(T));
  return value;
}

void append_utf8(std::string& out, u32 c) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80 | ((c >> shift) & 0x3F)));
  };
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) {
    out.push_back('?');
  } else if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | c >> 12));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0 | c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Characters of one, two or four bytes each.
std::string decode(std::span<const std::byte> data, u32 width) {
  std::string out;
  for (std::size_t at = 0; at + width <= data.size(); at += width) {
    u32 c = 0;
    std::memcpy(&c, &data[at], width);
    append_utf8(out, c);
    if (out.size() + 4 > kMaxPythonName) break;
  }
  return printable(out);
}

// Six bits a byte, the lowest first; bit 6: there are more.
u32 read_number(ByteReader& in) {
  u32 value = 0;
  for (unsigned shift = 0;; shift += 6) {
    const u8 part = in.byte();
    if (shift < 32) value |= u32{part & 0x3FU} << shift;
    if ((part & 0x40) == 0) return value;
  }
}

// The lowest bit is the sign.
u32 read_signed(ByteReader& in) {
  const u32 value = read_number(in);
  return (value & 1) != 0 ? 0U - (value >> 1) : value >> 1;
}

// Kinds of an entry of the line table: how line and columns are written.
enum : u32 { kOneLine = 10, kNoColumns = 13, kLong = 14, kNoLine = 15 };

// How far the line goes on from the entry before.
u32 read_line_delta(ByteReader& in, u32 kind) {
  switch (kind) {
    case kNoLine:
      return 0;
    case kNoColumns:
      return read_signed(in);
    case kLong: {
      const u32 delta = read_signed(in);
      for (int i = 0; i < 3; i++) read_number(in);  // last line, columns
      return delta;
    }
    default:
      in.skip(kind >= kOneLine ? 2 : 1);
      return kind >= kOneLine ? kind - kOneLine : 0;
  }
}

}  // namespace

std::size_t python_code_bytes(const PythonLayout& layout) {
  return std::min<std::size_t>(
      kPythonCodeBytes, 8 + std::max({layout.object_type, layout.file_name, layout.qualified_name,
                                      layout.line_table, layout.first_line}));
}

std::optional<PythonCode> parse_python_code(const PythonLayout& layout,
                                            std::span<const std::byte> bytes) {
  if (bytes.size() < python_code_bytes(layout)) return std::nullopt;
  return PythonCode{.type = field<u64>(bytes, layout.object_type),
                    .file = field<u64>(bytes, layout.file_name),
                    .name = field<u64>(bytes, layout.qualified_name),
                    .lines = field<u64>(bytes, layout.line_table),
                    .first_line = field<u32>(bytes, layout.first_line)};
}

std::optional<std::string> read_python_str(const PythonLayout& layout, u64 address, u64 type,
                                           const ReadMemory& read) {
  std::array<std::byte, kMaxHead> buffer{};
  const std::size_t head_size =
      8 + std::max({layout.object_type, layout.str_length, layout.str_state});
  if (head_size > buffer.size()) return std::nullopt;
  const std::span head = std::span(buffer).first(head_size);
  if (address == 0 || !read(address, head)) return std::nullopt;
  if (type != 0 && field<u64>(head, layout.object_type) != type) return std::nullopt;
  const u32 state = field<u32>(head, layout.str_state) >> (layout.str_state_shift & 31U);
  const u32 width = (state >> kKindShift) & kKindMask;
  if ((state & kCompact) == 0 || (width != 1 && width != 2 && width != 4)) return std::nullopt;
  const u64 length = std::min(field<u64>(head, layout.str_length), kMaxCharacters);
  std::vector<std::byte> data(length * width);
  if (!read(address + ((state & kAscii) != 0 ? layout.ascii_data : layout.compact_data), data))
    return std::nullopt;
  return decode(data, width);
}

std::optional<std::vector<std::byte>> read_python_bytes(const PythonLayout& layout, u64 address,
                                                        u64 type, const ReadMemory& read) {
  std::array<std::byte, kMaxHead> buffer{};
  const std::size_t head_size = 8 + std::max(layout.object_type, layout.bytes_size);
  if (head_size > buffer.size()) return std::nullopt;
  const std::span head = std::span(buffer).first(head_size);
  if (address == 0 || !read(address, head)) return std::nullopt;
  if (type != 0 && field<u64>(head, layout.object_type) != type) return std::nullopt;
  const u64 size = field<u64>(head, layout.bytes_size);
  if (size > kMaxTable) return std::nullopt;
  std::vector<std::byte> data(size);
  if (!read(address + layout.bytes_data, data)) return std::nullopt;
  return data;
}

std::vector<PythonLine> parse_line_table(std::span<const std::byte> table, u32 first_line) {
  std::vector<PythonLine> out;
  ByteReader in{table};
  u32 line = first_line;
  u32 end = 0;
  while (!in.done()) {
    const u8 head = in.byte();
    const u32 kind = (head >> 3) & 15U;
    if ((head & 0x80) == 0) break;  // not the start of an entry
    line += read_line_delta(in, kind);
    if (!in.ok()) break;
    end += (head & 7U) + 1;
    const u32 shown = kind == kNoLine ? 0 : line;
    // Entries also part columns; only lines matter.
    if (!out.empty() && out.back().line == shown)
      out.back().end = end;
    else
      out.push_back({end, shown});
  }
  return out;
}

u32 line_at(std::span<const PythonLine> lines, u32 instruction) {
  const auto found = std::ranges::upper_bound(lines, instruction, {}, &PythonLine::end);
  return found == lines.end() ? 0 : found->line;
}

}  // namespace wick
