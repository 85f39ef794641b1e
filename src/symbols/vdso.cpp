#include "symbols/vdso.h"

#include <elf.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstring>

namespace wick {
namespace {

// The kernel tells where the image is, not how long: it ends with its segments or its section
// headers, whichever is later. This image is our own kernel's, so its header can be believed.
std::size_t image_size(const std::byte* image) {
  Elf64_Ehdr header{};
  std::memcpy(&header, image, sizeof(header));
  u64 end = header.e_shoff + u64{header.e_shnum} * header.e_shentsize;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, image + header.e_phoff + u64{i} * sizeof(segment), sizeof(segment));
    if (segment.p_type == PT_LOAD) end = std::max<u64>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

}  // namespace

Result<ElfFile> own_vdso() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel hands the address as a number
  const auto* image = reinterpret_cast<const std::byte*>(::getauxval(AT_SYSINFO_EHDR));
  if (image == nullptr) return fail("this kernel maps no vdso");
  return ElfFile::from_view({image, image_size(image)});
}

Result<ObjectSymbols> vdso_symbols(DemangleStyle style) {
  ElfFile elf = TRY_CTX(own_vdso(), "vdso");
  return ObjectSymbols::from_elf(std::move(elf),
                                 {.root = {}, .style = style, .debug_files = false});
}

}  // namespace wick
