// What the programs of a BPF object read of the kernel's types, as its CO-RE relocations tell: for
// each type they start from, the members they go through. Used by slim_btf.cpp; pure, no kernel.
//
//   task_struct ─┬─ thread_pid
//                └─ start_boottime         pid ─── numbers ─── [] ─── nr
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct CoreAccess {
  std::string member;  // empty: any element of an array
  std::vector<CoreAccess> below;

  // The one of that name below this one, new if need be.
  CoreAccess& to(const std::string& name);
};

struct CoreRoot {
  u32 kind = 0;      // BTF_KIND_STRUCT, _UNION or _TYPEDEF: a candidate must have the same
  std::string name;  // without CO-RE's flavour: task_struct, not task_struct___old
  CoreAccess access;
};

// From the bytes of the ELF file clang made. Fails where there are none, and for relocations that
// ask for more than members and sizes (ids of kernel types, values of enums): see docs/decisions.
[[nodiscard]] Result<std::vector<CoreRoot>> core_accesses(std::span<const std::byte> elf);

}  // namespace wick
