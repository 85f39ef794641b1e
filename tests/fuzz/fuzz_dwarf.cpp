// Any bytes as the debug information of a file. The input is a whole ELF file: mutations that leave
// its headers alone reach the readers, and a first byte of 0 lays the rest out as sections itself.
#include <algorithm>
#include <memory>
#include <vector>

#include "dwarf/source_lines.h"
#include "dwarf/split_files.h"
#include "object/elf_file.h"
#include "tests/unit/object/elf_builder.h"

namespace {

// .debug_info, .debug_abbrev, .debug_line and .debug_rnglists, each with its length in front.
std::vector<std::byte> laid_out(std::span<const std::byte> data) {
  wick::ElfBuilder builder;
  for (const char* name :
       {".debug_abbrev", ".debug_info", ".debug_line", ".debug_rnglists", ".debug_ranges",
        ".debug_str", ".debug_addr", ".debug_info.dwo", ".debug_abbrev.dwo", ".debug_rnglists.dwo",
        ".debug_str_offsets.dwo", ".debug_cu_index"}) {
    if (data.size() < 2) break;
    const std::size_t wanted =
        static_cast<std::size_t>(data[0]) * 16 + static_cast<std::size_t>(data[1]);
    const std::size_t size = std::min(wanted, data.size() - 2);
    builder.section({.name = name},
                    {data.begin() + 2, data.begin() + 2 + static_cast<std::ptrdiff_t>(size)});
    data = data.subspan(2 + size);
  }
  return builder.build();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto input = std::as_bytes(std::span{data, size});
  std::vector<std::byte> built;
  if (size != 0 && data[0] == 0) built = laid_out(input.subspan(1));
  const auto elf =
      wick::ElfFile::from_view(built.empty() ? input : std::span<const std::byte>{built});
  if (!elf) return 0;
  auto lines = wick::SourceLines::open(*elf, {.path = {}, .root = {}, .debug_files = false});
  if (!lines) return 0;
  std::vector<wick::u64> asked{0, 1, 0x1000, ~wick::u64{0}};
  for (wick::u64 i = 0; i < 256; i++) asked.push_back(0x1000 + 8 * i);
  lines->resolve(asked, [](std::size_t, std::span<const wick::SourceFrame> frames) {
    for (const wick::SourceFrame& frame : frames)
      if (frame.function.size() > (1U << 20)) __builtin_trap();
  });
  // The file as its own .dwo and .dwp.
  const auto shared = std::shared_ptr<const wick::ElfFile>{&*elf, [](const wick::ElfFile*) {}};
  wick::DebugInfo info{*elf};
  std::sort(asked.begin(), asked.end());
  info.index_units([&](std::size_t i, std::span<const wick::AddressRange>) {
    if (i > 16) return;
    const auto split = wick::split_unit_in(shared, info, info.units()[i]);
    if (!split) return;
    wick::FunctionScopes scopes;
    scopes.find(*split.info, *split.unit, asked);
    for (std::size_t at = 0; at < asked.size(); at++)
      for (auto scope = scopes.innermost(at); scope != wick::FunctionScopes::kNone;
           scope = scopes.scope(scope).outer) {
      }
  });
  return 0;
}
