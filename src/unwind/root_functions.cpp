#include "unwind/root_functions.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "object/named_symbols.h"

namespace wick {
namespace {

// ld.so's is 64 bytes long, musl's 22.
constexpr u64 kEntryBytes = 128;
constexpr u64 kCloneBytes = 256;

// As much of `size` bytes of code as the file has.
std::vector<u8> code_at(const ElfFile& elf, u64 vaddr, u64 size) {
  const auto offset = elf.vaddr_to_file_offset(vaddr);
  if (!offset) return {};
  std::vector<std::byte> bytes(size);
  bytes.resize(elf.bytes().read_some(*offset, bytes));
  std::vector<u8> out;
  for (const std::byte byte : bytes) out.push_back(static_cast<u8>(byte));
  return out;
}

// mov %rsp,%rdi: the kernel leaves the arguments there, so every entry takes that address, and no
// function does.
bool takes_the_kernels_stack(const std::vector<u8>& code) {
  constexpr std::array<u8, 3> kMove{0x48, 0x89, 0xE7};
  const auto head = std::span(code).first(std::min<std::size_t>(code.size(), 16));
  return !std::ranges::search(head, kMove).empty();
}

}  // namespace

bool has_entry(const ElfFile& elf) {
  if (elf.entry() == 0) return false;
  if (elf.type() == ET_EXEC) return true;
  const auto is_interpreter = [](const ElfSegment& segment) { return segment.type == PT_INTERP; };
  return std::ranges::any_of(elf.segments(), is_interpreter) ||
         takes_the_kernels_stack(code_at(elf, elf.entry(), kEntryBytes));
}

std::optional<CodeRange> entry_code(const ElfFile& elf, u64 next_function) {
  const u64 begin = elf.entry();
  if (next_function <= begin) return std::nullopt;
  const std::vector<u8> code = code_at(elf, begin, std::min(next_function - begin, kEntryBytes));
  u64 end = begin + code.size();
  // What it calls is another function, even where nothing says that one begins. Some of these are
  // no calls but parts of other instructions: then the range is shorter than it could be.
  for (std::size_t at = 0; at + 5 <= code.size() && begin + at < end; at++) {
    if (code[at] != 0xE8) continue;
    const u32 distance =
        code[at + 1] | code[at + 2] << 8 | code[at + 3] << 16 | u32{code[at + 4]} << 24;
    const u64 target = begin + at + 5 + static_cast<u64>(i64{static_cast<i32>(distance)});
    if (target > begin && target < end) end = std::max(target, begin + at + 5);
  }
  if (end == begin) return std::nullopt;
  return CodeRange{begin, end};
}

std::optional<CodeRange> thread_start_call(const ElfFile& elf) {
  const auto clone = find_symbols(elf, std::array{std::string_view{"__clone"}}).front();
  if (!clone) return std::nullopt;
  const std::vector<u8> code = code_at(elf, clone->vaddr, kCloneBytes);
  // The system call returns in the child, which pops an argument and calls *%r9.
  constexpr std::array<u8, 4> kPopAndCall{0x5F, 0x41, 0xFF, 0xD1};
  const auto found = std::ranges::search(code, kPopAndCall);
  if (found.empty()) return std::nullopt;
  const u64 pop = clone->vaddr + static_cast<u64>(found.begin() - code.begin());
  return CodeRange{pop + 1, pop + kPopAndCall.size()};
}

}  // namespace wick
