// SyscallFilter: which system calls a tool looks at: one by name, those that fail, those that fail
// so. Resolved to the constants of the tool's BPF program (failed_only, filter_errno, filter_call).
//
//   const ResolvedSyscallFilter filter = TRY(resolve_syscalls(options));
//   TRY(filter.set_constants(object));
#pragma once

#include <array>
#include <optional>
#include <string>

#include "arch/syscalls.h"
#include "base/result.h"
#include "kernel/bpf/bpf_object.h"
#include "proc/errno_names.h"
#include "tool/command/option.h"

namespace wick {

struct SyscallFilter {
  bool failed = false;
  std::optional<std::string> error;
  std::optional<std::string> call;
};

struct ResolvedSyscallFilter {
  bool failed_only = false;
  u32 error = 0;
  i32 call = -1;

  [[nodiscard]] Status set_constants(BpfObject& object) const {
    TRY(object.set_constant("failed_only", failed_only));
    TRY(object.set_constant("filter_errno", error));
    return object.set_constant("filter_call", call);
  }
};

[[nodiscard]] inline Result<ResolvedSyscallFilter> resolve_syscalls(const SyscallFilter& filter) {
  ResolvedSyscallFilter out{.failed_only = filter.failed || filter.error};
  if (filter.error) out.error = TRY(errno_number(*filter.error));
  if (filter.call) out.call = static_cast<i32>(TRY(syscall_number(*filter.call)));
  return out;
}

template <class O>
inline constexpr std::array kSyscallFilterOptions{
    flag<O, &O::failed>('x', "failures", "only calls that fail"),
    value<O, &O::error>('e', "errno", "ERRNO", "only calls that fail so, by name or number"),
    value<O, &O::call>(0, "syscall", "NAME", "only this call"),
};

}  // namespace wick
