#include "arch/machine.h"

#include <elf.h>

#include <array>

namespace wick {

bool is_this_machine(u16 machine) {
  return machine == EM_X86_64;
}

bool has_known_code(u16 machine) {
  return machine == EM_X86_64 || machine == EM_386;
}

bool is_relative_relocation(u32 type) {
  return type == R_X86_64_RELATIVE;
}

bool is_slot_relocation(u32 type) {
  static_assert(R_X86_64_JUMP_SLOT == R_386_JMP_SLOT && R_X86_64_GLOB_DAT == R_386_GLOB_DAT);
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
}

bool is_resolver_relocation(u32 type) {
  return type == R_X86_64_IRELATIVE;
}

std::span<const char* const> usual_files() {
  static constexpr std::array<const char*, 2> kFiles{"/lib64/ld-linux-x86-64.so.2",
                                                     "/lib/x86_64-linux-gnu/libc.so.6"};
  return kFiles;
}

}  // namespace wick
