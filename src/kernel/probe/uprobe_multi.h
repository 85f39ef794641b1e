// BPF_LINK_CREATE for a uprobe_multi, which is younger than Debian 12's headers and libbpf.
// Thread rule: free functions, no state.
#pragma once

#include "base/fd.h"
#include "base/ids.h"

namespace wick {

inline constexpr u32 kUprobeMulti = 48;  // BPF_TRACE_UPROBE_MULTI
inline constexpr u32 kUprobeMultiReturn = 1;

// The head of bpf_attr.
struct UprobeMultiAttr {
  u32 prog_fd = 0;
  u32 target_fd = 0;
  u32 attach_type = kUprobeMulti;
  u32 flags = 0;
  u64 path = 0;
  u64 offsets = 0;
  u64 ref_ctr_offsets = 0;
  u64 cookies = 0;
  u32 count = 0;
  u32 multi_flags = 0;
  u32 pid = 0;
  u32 padding = 0;
};

// Not valid when the kernel refused; errno says why.
[[nodiscard]] Fd create_uprobe_multi(const UprobeMultiAttr& attr);
// Whether the kernel knows them: an errno is what came of a trial on a folder, 0 that it does.
[[nodiscard]] int uprobe_multi_trial();
[[nodiscard]] inline bool has_uprobe_multi() {
  return uprobe_multi_trial() == 0;
}

}  // namespace wick
