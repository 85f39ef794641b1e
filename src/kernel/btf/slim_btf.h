// The kernel's BTF cut down to what one BPF object reads of it: a few hundred bytes instead of the
// 5.5 MB that libbpf would load, keep twice and index (docs/decisions/0003-slim-btf.md).
// Used by Object<S>::open(), which hands it to libbpf as btf_custom_path.
//
//   SlimBtf btf = SlimBtf::reserve();
//   options.btf_custom_path = btf.path.c_str();  // still empty: libbpf reads it at the load
//   if (!btf.fill(elf_bytes, ids)) …             // libbpf is to read the whole, slower
#pragma once

#include <bpf/btf.h>

#include <map>
#include <optional>
#include <span>
#include <string>

#include "base/fd.h"

namespace wick {

inline constexpr const char* kKernelBtf = "/sys/kernel/btf/vmlinux";

// Types of the kernel that programs are attached by: none until looked for, 0 where there is none.
using TypeIds = std::map<std::string, std::optional<u32>>;
// Typedefs of tracepoints, and functions.
[[nodiscard]] bool is_attached_by(const btf_type& type);

// BTF with the offsets, sizes and kinds of every kernel member that the relocations of the object
// `elf` ask for. Fails if the answer would not be the same as from the whole BTF. What is not known
// of `ids` is found in the same pass over the kernel's types, which takes 3 ms.
[[nodiscard]] Result<std::string> make_slim_btf(std::span<const std::byte> elf, TypeIds& ids,
                                                const std::string& kernel_btf = kKernelBtf);

// The same in the form libbpf takes it: a file. Empty path: libbpf is to do without.
struct SlimBtf {
  Fd fd;  // keeps `path` alive
  std::string path;

  [[nodiscard]] static SlimBtf reserve();
  [[nodiscard]] bool fill(std::span<const std::byte> elf, TypeIds& ids);
};

}  // namespace wick
