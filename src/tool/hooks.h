// Hooks: tools whose BPF programs do the same by several hooks (bpf/lib/function.bpf.h) load one
// kind: fentry where the kernel has it, else kprobes, else tracepoints that come close (programs
// named instead_…). Tracepoints that newer kernels have and that tell the same (rather_…) go first.
// The shapes call this for every tool; a tool without such programs is left alone.
//
//   std::optional<HookKind> hooks = TRY(choose_hooks(object, options.hooks));
#pragma once

#include <bpf/libbpf.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tool/option.h"

namespace wick {

enum class HookKind : u8 { fentry, kprobe, tracepoint };

// "fentry"
[[nodiscard]] std::string_view hook_name(HookKind kind);

// After open, before load: programs of the other kinds are not loaded. `asked` is --hooks. Fails
// with the kernel option that is missing.
[[nodiscard]] Result<std::optional<HookKind>> choose_hooks(bpf_object* object,
                                                           const std::optional<std::string>& asked);

// For tools that have such programs.
template <class O>
inline constexpr std::array kHookOptions{
    value<O, &O::hooks>(0, "hooks", "KIND",
                        "by fentry, kprobe or tracepoint (default: the first the kernel has)"),
};

}  // namespace wick
