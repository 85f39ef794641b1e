// The vdso: code the kernel maps into every process. Ours stands for everybody's.
//
//   ObjectSymbols vdso = TRY(vdso_symbols());
//   vdso.resolve(offsets_in_vdso, …);    // its vaddrs begin at 0
#pragma once

#include "base/result.h"
#include "symbols/object_symbols.h"

namespace wick {

[[nodiscard]] Result<ElfFile> own_vdso();
[[nodiscard]] Result<ObjectSymbols> vdso_symbols(DemangleStyle style = DemangleStyle::full);

}  // namespace wick
