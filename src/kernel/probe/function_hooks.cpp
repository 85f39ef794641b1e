#include "kernel/probe/function_hooks.h"

#include <fmt/format.h>
#include <unistd.h>

#include "kernel/trial.h"

namespace wick {

bool can_fentry(u32 function) {
  return function != 0 && feature::load_nothing({.type = BPF_PROG_TYPE_TRACING,
                                                 .attach_type = BPF_TRACE_FENTRY,
                                                 .attach_btf_id = function})
                              .has_value();
}

bool can_kprobe() {
  return ::access(kKprobeType, F_OK) == 0;
}

std::string missing_function_hooks() {
  const std::string unset = feature::unset_options(
      {"CONFIG_KPROBES", "CONFIG_FUNCTION_TRACER", "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS"});
  if (!unset.empty()) return unset;
  return "it needs CONFIG_KPROBES, or CONFIG_FUNCTION_TRACER and CONFIG_DEBUG_INFO_BTF for fentry";
}

}  // namespace wick
