// One program on many kernel functions: by one link where the kernel has kprobe_multi (5.18, with
// CONFIG_FPROBE), else by a kprobe each. A program of either kind (WICK_ON_MANY in
// bpf/lib/function.bpf.h) is told as its cookie which of the functions it is. One thread.
//
//   set_functions(object, addresses);                       // after open, for all such programs
//   …load…
//   FunctionLinks links = TRY(attach_to_functions(program));
#pragma once

#include <bpf/libbpf.h>

#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "kernel/link.h"

namespace wick {

// What came of a trial: 0, or an errno.
[[nodiscard]] int kprobe_multi_trial();
[[nodiscard]] inline bool can_kprobe_multi() {
  return kprobe_multi_trial() == 0;
}

// Whether its section names no function: SEC("kprobe.multi"), SEC("kprobe"), or kret….
[[nodiscard]] bool is_for_many(const bpf_program* program);
void set_functions(bpf_object* object, const std::vector<u64>& addresses);

struct FunctionLinks {
  std::vector<Link> links;
  u64 refused = 0;  // functions the kernel lets nobody hook
};
// Fails only if not one can be hooked.
[[nodiscard]] Result<FunctionLinks> attach_to_functions(const bpf_program* program);

}  // namespace wick
