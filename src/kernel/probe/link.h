// Link: an attached BPF program, detached when it goes out of scope.
#pragma once

#include <bpf/libbpf.h>

#include <memory>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct LinkDelete {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
using Link = std::unique_ptr<bpf_link, LinkDelete>;

// To a perf event, which is the link's from then on.
[[nodiscard]] Result<Link> attach_to_event(const bpf_program* program, Fd event, u64 cookie = 0);

}  // namespace wick
