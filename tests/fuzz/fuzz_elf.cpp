// Any bytes as an ELF file: headers, sections, notes, symbols, stubs and look-ups stay in bounds.
#include <vector>

#include "object/elf_file.h"
#include "symbols/object_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto elf = wick::ElfFile::from_view(std::as_bytes(std::span{data, size}));
  if (!elf) return 0;
  (void)elf->build_id();
  (void)elf->debug_link();
  std::vector<wick::u64> wanted{elf->entry(), elf->file_offset_to_vaddr(size / 2).value_or(0)};
  for (const wick::ElfSection& section : elf->sections()) {
    (void)elf->read_section(section, 1U << 20);
    wanted.push_back(section.address + section.size / 2);
  }
  auto symbols = wick::ObjectSymbols::from_elf(
      std::move(*elf), {.root = {}, .style = wick::DemangleStyle::none, .debug_files = false});
  const auto ignore = [](std::size_t, const wick::Symbol&) {};
  symbols.resolve(wanted, ignore);
  for (const wick::u64 vaddr : wanted) (void)symbols.find(vaddr);
  symbols.resolve(wanted, ignore);
  return 0;
}
