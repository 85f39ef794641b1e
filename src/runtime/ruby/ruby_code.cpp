#include "runtime/ruby/ruby_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "base/text.h"

namespace wick {
namespace {

// A name of a kilobyte says enough, and every stack repeats it.
constexpr u64 kMaxRubyName = 1024;

// The first word of an object.
enum : u64 {
  kTypeMask = 0x1f,
  kTypeString = 5,
  kTypeArray = 7,
  kTypeInternal = 0x1a,
  kInternalShift = 12,
  kInternalMask = 15,
  kInternalMethod = 6,
  kInternalIseq = 7,
  kOutsideString = u64{1} << 13,  // a String whose text is not in the object
  kInsideArray = u64{1} << 13,    // an Array whose elements are
  kInsideLengthShift = 14,
  kInsideLengthMask = 0x1f,
};

// The table of names: lists of 512, each a String and a Symbol.
constexpr u64 kSymbolLists = 16;
constexpr u64 kIdsInList = 512;
constexpr u64 kLastOperator = 0xa9;
constexpr unsigned kIdScopeBits = 4;
constexpr u64 kOriginalId = 32;  // in a method's definition

template <class T>
T value_in(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof(T) <= bytes.size()) std::memcpy(&value, &bytes[offset], sizeof(T));
  return value;
}

template <class T>
std::optional<T> read_value(u64 address, const ReadMemory& read) {
  T value{};
  if (!read(address, std::as_writable_bytes(std::span(&value, 1)))) return std::nullopt;
  return value;
}

using Object = std::array<std::byte, kRubyObjectBytes>;

bool is_internal(std::span<const std::byte> object, u64 kind) {
  const u64 flags = value_in<u64>(object, 0);
  return (flags & kTypeMask) == kTypeInternal && (flags >> kInternalShift & kInternalMask) == kind;
}

std::optional<u64> read_element(u64 array, u64 index, const ReadMemory& read) {
  const auto object = read_value<Object>(array, read);
  if (!object) return std::nullopt;
  const u64 flags = value_in<u64>(*object, 0);
  if ((flags & kTypeMask) != kTypeArray) return std::nullopt;
  if ((flags & kInsideArray) != 0) {
    if (index > 2) return std::nullopt;
    return value_in<u64>(*object, 16 + 8 * index);
  }
  if (index >= value_in<u64>(*object, 16)) return std::nullopt;
  return read_value<u64>(value_in<u64>(*object, 32) + 8 * index, read);
}

// The line table's index: of the first 54 instructions 7 bits each, nine in a word; then blocks of
// 512, with a bit for each that begins an entry and sums of those before. Counts from 1.
constexpr u32 kImmediate = 54;
constexpr u32 kImmediateInWord = 9;
constexpr u32 kBlockInstructions = 512;
constexpr u64 kFirstBlock = 48;
struct LineBlock {
  u32 before;
  u32 pad;
  u64 sums;  // of seven times 64 instructions, 9 bits each
  std::array<u64, kBlockInstructions / 64> bits;
};

u32 read_entry_number(u64 index, u32 position, const ReadMemory& read) {
  if (position < kImmediate) {
    const auto word = read_value<u64>(index + 8 * u64{position / kImmediateInWord}, read);
    return word ? static_cast<u32>(*word >> (position % kImmediateInWord * 7) & 0x7f) : 0;
  }
  const u32 from = position - kImmediate;
  const auto block = read_value<LineBlock>(
      index + kFirstBlock + u64{from / kBlockInstructions} * sizeof(LineBlock), read);
  if (!block) return 0;
  const u32 in_block = from % kBlockInstructions;
  const u32 part = in_block / 64;
  const u32 sum = part == 0 ? 0 : static_cast<u32>(block->sums >> ((part - 1) * 9) & 0x1ff);
  return block->before + sum +
         static_cast<u32>(std::popcount(block->bits[part] << (63 - in_block % 64)));
}

struct LineEntry {
  i32 line;
  i32 node;
  u32 events;
};

}  // namespace

std::optional<u64> iseq_body(std::span<const std::byte> object) {
  if (!is_internal(object, kInternalIseq)) return std::nullopt;
  return value_in<u64>(object, 16);
}

std::optional<RubyCode> parse_ruby_body(std::span<const std::byte> body) {
  if (body.size() < kRubyBodyBytes) return std::nullopt;
  // A Fixnum: its lowest bit is 1.
  const u64 first_line = value_in<u64>(body, 0x58);
  return RubyCode{.file = value_in<u64>(body, 0x40),
                  .label = value_in<u64>(body, 0x50),
                  .first_line = (first_line & 1) != 0 ? static_cast<u32>(first_line >> 1) : 0,
                  .lines = value_in<u64>(body, 0x78),
                  .line_count = value_in<u32>(body, 0x88),
                  .line_index = value_in<u64>(body, 0x90)};
}

std::optional<u64> method_definition(std::span<const std::byte> object) {
  if (!is_internal(object, kInternalMethod)) return std::nullopt;
  return value_in<u64>(object, 16);
}

u64 read_method_id(u64 definition, const ReadMemory& read) {
  return read_value<u64>(definition + kOriginalId, read).value_or(0);
}

std::optional<std::string> read_ruby_id(u64 id, u64 symbols, const ReadMemory& read) {
  if (id == 0 || symbols == 0) return std::nullopt;
  const u64 serial = id > kLastOperator ? static_cast<u32>(id >> kIdScopeBits) : id;
  const auto last = read_value<u32>(symbols, read);
  const auto lists = read_value<u64>(symbols + kSymbolLists, read);
  if (!last || !lists || serial > *last) return std::nullopt;
  const auto list = read_element(*lists, serial / kIdsInList, read);
  if (!list) return std::nullopt;
  const auto name = read_element(*list, serial % kIdsInList * 2, read);
  return name ? read_ruby_string(*name, read) : std::nullopt;
}

std::optional<std::string> read_ruby_string(u64 address, const ReadMemory& read) {
  const auto object = read_value<Object>(address, read);
  if (!object) return std::nullopt;
  const u64 flags = value_in<u64>(*object, 0);
  if ((flags & kTypeMask) != kTypeString) return std::nullopt;
  std::string text;
  if ((flags & kOutsideString) == 0) {
    const u64 length = flags >> kInsideLengthShift & kInsideLengthMask;
    if (length > kRubyObjectBytes - 16) return std::nullopt;
    text.resize(length);
    std::memcpy(text.data(), &(*object)[16], length);
  } else {
    text.resize(std::min(value_in<u64>(*object, 16), kMaxRubyName));
    if (!read(value_in<u64>(*object, 24), std::as_writable_bytes(std::span(text))))
      return std::nullopt;
  }
  return printable(text);
}

std::optional<std::string> read_ruby_path(u64 address, const ReadMemory& read) {
  if (auto path = read_ruby_string(address, read)) return path;
  const auto first = read_element(address, 0, read);
  return first ? read_ruby_string(*first, read) : std::nullopt;
}

u32 read_ruby_line(const RubyCode& code, u32 position, const ReadMemory& read) {
  if (code.line_count == 0) return 0;
  const u32 number = code.line_count == 1 ? 1 : read_entry_number(code.line_index, position, read);
  if (number == 0 || number > code.line_count) return 0;
  const auto entry = read_value<LineEntry>(code.lines + u64{number - 1} * sizeof(LineEntry), read);
  return entry && entry->line > 0 ? static_cast<u32>(entry->line) : 0;
}

}  // namespace wick
