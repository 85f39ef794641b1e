// Whether this kernel lets programs hook its functions, by the kernel's own answer: a program that
// returns 0 is loaded and forgotten. Used by src/tool/hooks.h. Any thread.
#pragma once

#include <string>

#include "base/ids.h"

namespace wick {

// There when the kernel has kprobes; holds the number of their PMU.
inline constexpr const char* kKprobeType = "/sys/bus/event_source/devices/kprobe/type";

// `function`: its id in the kernel's BTF (typed_programs.h); 0 is no function.
[[nodiscard]] bool can_fentry(u32 function);
[[nodiscard]] bool can_kprobe();
// Why neither is there, in words: "CONFIG_KPROBES is not set".
[[nodiscard]] std::string missing_function_hooks();

}  // namespace wick
