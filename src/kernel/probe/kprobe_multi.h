// One program on many kernel functions, by address: by one link where the kernel has kprobe_multi
// (5.18, with CONFIG_FPROBE), else by one kprobe per function. Used by Attachments. One thread.
#pragma once

#include <bpf/libbpf.h>

#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "kernel/probe/link.h"
#include "kernel/probe/probe_spec.h"

namespace wick {

// What came of a trial: 0, or an errno.
[[nodiscard]] int kprobe_multi_trial();
[[nodiscard]] inline bool can_kprobe_multi() {
  return kprobe_multi_trial() == 0;
}

struct FunctionLinks {
  std::vector<Link> links;
  u64 refused = 0;  // functions that the kernel does not let anyone hook
};
// The functions are `spec.places`. Fails only if not one can be hooked.
[[nodiscard]] Result<FunctionLinks> attach_to_functions(const bpf_program* program,
                                                        const ProbeSpec& spec);

}  // namespace wick
