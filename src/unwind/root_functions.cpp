#include "unwind/root_functions.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "arch/entry_code.h"
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
  for (auto call = next_direct_call(code, 0); call && begin + call->end - 5 < end;
       call = next_direct_call(code, call->end - 4)) {
    const u64 target = begin + call->end + static_cast<u64>(call->distance);
    if (target > begin && target < end) end = std::max(target, begin + call->end);
  }
  if (end == begin) return std::nullopt;
  return CodeRange{begin, end};
}

std::optional<CodeRange> thread_start_call(const ElfFile& elf) {
  const auto clone = find_symbols(elf, std::array{std::string_view{"__clone"}}).front();
  if (!clone) return std::nullopt;
  const std::vector<u8> code = code_at(elf, clone->vaddr, kCloneBytes);
  const auto call = thread_function_call(code);
  if (!call) return std::nullopt;
  return CodeRange{clone->vaddr + call->begin, clone->vaddr + call->end};
}

}  // namespace wick
