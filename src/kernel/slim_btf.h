// The kernel's BTF cut down to what one BPF object reads of it: a few hundred bytes instead of the
// 5.5 MB that libbpf would load, keep twice and index (docs/decisions/0003-slim-btf.md).
// Used by Object<S>::open(), which hands it to libbpf as btf_custom_path.
//
//   Result<Fd> btf = make_slim_btf(elf_bytes);
//   if (btf) options.btf_custom_path = …;  // else libbpf reads the whole, slower and as right
#pragma once

#include <span>
#include <string>

#include "base/fd.h"

namespace wick {

inline constexpr const char* kKernelBtf = "/sys/kernel/btf/vmlinux";

// A memfd with the offsets, sizes and kinds of every kernel member that the relocations of the
// object `elf` ask for. Fails if the answer would not be the same as from the whole BTF.
[[nodiscard]] Result<Fd> make_slim_btf(std::span<const std::byte> elf,
                                       const std::string& kernel_btf = kKernelBtf);

// The same in the form libbpf takes it. Empty path: libbpf is to do without.
struct SlimBtf {
  Fd fd;  // keeps `path` alive
  std::string path;

  [[nodiscard]] static SlimBtf of(std::span<const std::byte> elf);
};

}  // namespace wick
