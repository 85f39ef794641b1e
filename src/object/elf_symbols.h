// Functions and variables an ELF file names: in a symbol table, and as stubs of its procedure
// linkage table. Used by symbols. Tables are read in pieces, so a large one costs no memory.
//
//   for_each_function(elf, *elf.section_of_type(SHT_DYNSYM), [&](const ElfFunction& f) { … });
#pragma once

#include <functional>

#include "base/ids.h"
#include "base/result.h"
#include "object/elf_file.h"

namespace wick {

struct ElfFunction {
  enum class Binding : u8 { global, weak, local };

  u64 start = 0;  // vaddr
  u64 size = 0;   // 0: not given, as in hand-written assembly
  u32 name = 0;   // offset in the table's string section
  Binding binding = Binding::global;
  bool typed = true;  // false: a label (STT_NOTYPE) in executable code
};

inline constexpr u64 kMaxSymbols = u64{8} << 20;

// `table` is a SHT_SYMTAB or SHT_DYNSYM. More than kMaxSymbols entries are not read.
[[nodiscard]] Status for_each_function(const ElfFile& elf, const ElfSection& table,
                                       const std::function<void(const ElfFunction&)>& visit);

// A variable: a global, a static, a class's static member.
struct ElfVariable {
  u64 start = 0;  // vaddr
  u64 size = 0;
  u32 name = 0;
};
[[nodiscard]] Status for_each_variable(const ElfFile& elf, const ElfSection& table,
                                       const std::function<void(const ElfVariable&)>& visit);

// The string section of a symbol table; nullptr when it has none that can be used.
[[nodiscard]] const ElfSection* names_of(const ElfFile& elf, const ElfSection& table);

// A stub that jumps to a function of another object, or to what an IFUNC resolver chose.
struct PltStub {
  u64 start = 0;
  u32 size = 0;
  u32 name = 0;      // offset in .dynsym's string section; 0 for an IFUNC
  u64 resolver = 0;  // IFUNC: vaddr of the resolver, which carries the function's name
};

// .plt, .plt.sec, .plt.got: where stubs are.
[[nodiscard]] bool is_plt(const ElfSection& section);

// By what the stubs' code jumps through, so lazy, IBT (.plt.sec) and -z now (.plt.got) are one
// case.
[[nodiscard]] Status for_each_plt_stub(const ElfFile& elf,
                                       const std::function<void(const PltStub&)>& visit);

}  // namespace wick
