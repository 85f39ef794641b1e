// Hooks: tools whose BPF programs do the same by several hooks (bpf/lib/function.bpf.h) load one
// kind: fentry where the kernel has it, else kprobes, else tracepoints that come close (programs
// named instead_…). Tracepoints that newer kernels have and that tell the same (rather_…) go first.
// The shapes call this for every tool; a tool without such programs is left alone. Programs on many
// functions go by kprobe.multi, else by a kprobe each.
//
//   std::optional<HookKind> hooks = TRY(choose_hooks(object, options.hooks));
#pragma once

#include <bpf/libbpf.h>

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kernel/bpf/bpf_object.h"
#include "tool/command/option.h"

namespace wick {

enum class HookKind : u8 { fentry, kprobe_multi, kprobe, tracepoint };

// "fentry"
[[nodiscard]] std::string_view hook_name(HookKind kind);

// After open, before load: programs of the other kinds are not loaded. `asked` is --hooks. Fails
// with the kernel option that is missing.
[[nodiscard]] Result<std::optional<HookKind>> choose_hooks(BpfObject& object,
                                                           const std::optional<std::string>& asked);

// Fails where kprobes cannot be, with the option that is missing: for tools that look for functions
// first.
[[nodiscard]] Status need_function_hooks();

// Before choose_hooks: programs on functions that this kernel has not (another version's, inlined,
// of a module that is not loaded) are not loaded. Which functions those are.
[[nodiscard]] Result<std::set<std::string>> leave_out_missing_functions(BpfObject& object);

// For tools that have such programs.
template <class O>
inline constexpr std::array kHookOptions{
    value<O, &O::hooks>(0, "hooks", "KIND",
                        "by fentry, kprobe or tracepoint (default: the first the kernel has)"),
};
// For those without kprobes (bpf/lib/file_io.bpf.h says why).
template <class O>
inline constexpr std::array kTypedHookOptions{
    value<O, &O::hooks>(0, "hooks", "KIND",
                        "by fentry or tracepoint (default: the first the kernel has)"),
};
// For tools on many functions.
template <class O>
inline constexpr std::array kManyHookOptions{
    value<O, &O::hooks>(0, "hooks", "KIND",
                        "by kprobe.multi or kprobe (default: the first the kernel has)"),
};

}  // namespace wick
