// Wick's own reading of instructions against a disassembler's (Zydis): probe_points FILE…
// Of every function: where probe_point() puts a probe, the disassembler must agree; and behind
// every call it finds, ends_with_call() must say so. Debian has Zydis as a shared library alone, so
// Wick, which is linked statically, cannot use it itself (docs/decisions/0042-arch.md).
#include <Zydis/Zydis.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "arch/call_site.h"
#include "arch/probe_point.h"
#include "base/open_regular.h"
#include "object/elf_file.h"
#include "object/elf_symbols.h"

namespace wick {
namespace {

constexpr std::size_t kBeginning = 48;     // as probe_point.cpp
constexpr std::size_t kFunction = 16'384;  // likewise

struct Decoded {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

class Disassembler {
 public:
  Disassembler() { ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64); }
  std::optional<Decoded> decode(std::span<const std::byte> code) const {
    Decoded out{};
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code.data(), code.size(), &out.instruction,
                                             out.operands)))
      return std::nullopt;
    return out;
  }

 private:
  ZydisDecoder decoder_{};
};

bool writes(const Decoded& decoded, ZydisRegister wanted) {
  return std::any_of(decoded.operands, decoded.operands + decoded.instruction.operand_count,
                     [&](const ZydisDecodedOperand& operand) {
                       return operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
                              (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0 &&
                              ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
                                                               operand.reg.value) == wanted;
                     });
}

// What the kernel runs itself: pushes of a register, nop, jumps and calls by distance.
bool is_emulated(const Decoded& decoded) {
  const ZydisDecodedInstruction& i = decoded.instruction;
  const bool push = i.mnemonic == ZYDIS_MNEMONIC_PUSH && i.opcode >= 0x50 && i.opcode <= 0x57 &&
                    i.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
  if (push) return i.length == (i.attributes & ZYDIS_ATTRIB_HAS_REX ? 2 : 1);
  if (i.mnemonic == ZYDIS_MNEMONIC_NOP) return i.length == 1;
  const bool branch =
      i.meta.branch_type == ZYDIS_BRANCH_TYPE_SHORT || i.meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR;
  return branch && i.operand_count > 0 &&
         decoded.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && i.raw.prefix_count == 0;
}

// 0: none.
u32 best_point(const Disassembler& disassembler, std::span<const std::byte> code,
               Arguments arguments) {
  code = code.first(std::min(code.size(), kBeginning));
  for (u32 at = 0; at < code.size();) {
    const auto decoded = disassembler.decode(code.subspan(at));
    if (!decoded) return 0;
    if (is_emulated(*decoded)) return at;
    const bool changes = writes(*decoded, ZYDIS_REGISTER_RSP) ||
                         writes(*decoded, ZYDIS_REGISTER_RDI) ||
                         (arguments == Arguments::two && writes(*decoded, ZYDIS_REGISTER_RSI));
    if (changes || decoded->instruction.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE) return 0;
    at += decoded->instruction.length;
  }
  return 0;
}

struct Compared {
  u64 functions = 0;
  u64 points = 0;  // not at the function's first byte
  u64 missed = 0;  // Zydis knows one, Wick takes the first byte
  u64 wrong = 0;   // Wick's is another than Zydis's
  u64 calls = 0;
  u64 unseen = 0;  // calls that Wick does not take for one
};

void compare_function(const Disassembler& disassembler, std::span<const std::byte> code, u64 start,
                      Compared& out) {
  out.functions++;
  for (const Arguments arguments : {Arguments::one, Arguments::two}) {
    const u32 ours = probe_point(code, arguments);
    const u32 theirs = best_point(disassembler, code, arguments);
    out.points += ours != 0;
    out.missed += ours == 0 && theirs != 0;
    if (ours == 0 || ours == theirs) continue;
    out.wrong++;
    fmt::print("{:#x}: a probe at {}, the disassembler has {}\n", start, ours, theirs);
  }
  for (std::size_t at = 0; at < code.size();) {
    const auto decoded = disassembler.decode(code.subspan(at));
    if (!decoded) return;
    at += decoded->instruction.length;
    if (decoded->instruction.mnemonic != ZYDIS_MNEMONIC_CALL) continue;
    out.calls++;
    if (ends_with_call(code.first(at).last(std::min(at, kLongestCall)))) continue;
    out.unseen++;
    fmt::print("{:#x}: a call that ends at +{} is not seen\n", start, at);
  }
}

bool compare(const std::string& path) {
  auto fd = open_regular("", path);
  if (!fd) return false;
  const auto elf = ElfFile::open(std::move(*fd));
  if (!elf) return false;
  const ElfSection* table = elf->section_of_type(SHT_SYMTAB);
  if (table == nullptr) table = elf->section_of_type(SHT_DYNSYM);
  if (table == nullptr) return false;
  const Disassembler disassembler;
  Compared result;
  (void)for_each_function(*elf, *table, [&](const ElfFunction& function) {
    const auto offset = elf->vaddr_to_file_offset(function.start);
    if (!offset || function.size == 0) return;
    std::vector<std::byte> code(std::min<u64>(function.size, kFunction));
    code.resize(elf->bytes().read_some(*offset, code));
    compare_function(disassembler, code, function.start, result);
  });
  fmt::print("{}: functions={} points={} missed={} wrong={} calls={} unseen={}\n", path,
             result.functions, result.points, result.missed, result.wrong, result.calls,
             result.unseen);
  return result.functions > 0 && result.wrong == 0 && result.unseen == 0;
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  bool agree = argc > 1;
  for (int i = 1; i < argc; i++) agree = wick::compare(argv[i]) && agree;
  return agree ? 0 : 1;
}
