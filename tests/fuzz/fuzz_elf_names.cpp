// Any bytes as an ELF file in which functions, variables and a Python interpreter are looked for by
// name.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "object/named_symbols.h"
#include "runtime/python/python_layout.h"
#include "symbols/function_finder.h"
#include "symbols/variable_names.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto elf = wick::ElfFile::from_view(std::as_bytes(std::span{data, size}));
  if (!elf) return 0;
  (void)wick::find_python(*elf);
  (void)wick::find_symbols(*elf, std::array<std::string_view, 2>{"main", "_PyRuntime"});
  const auto shared = std::make_shared<const wick::ElfFile>(std::move(*elf));
  (void)wick::find_functions(shared, std::vector<std::string>{"main", "pthread_mutex_lock"});
  std::vector<wick::u64> asked{0, 0x4000, ~wick::u64{0}};
  for (const wick::ElfSection& section : shared->sections())
    if (asked.size() < 64) asked.push_back(section.address + 8);
  if (wick::name_variables(shared, {}, asked).size() != asked.size()) __builtin_trap();
  return 0;
}
