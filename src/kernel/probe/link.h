// Link: an attached BPF program, detached when it goes out of scope.
#pragma once

#include <bpf/libbpf.h>

#include <memory>

namespace wick {

struct LinkDelete {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
using Link = std::unique_ptr<bpf_link, LinkDelete>;

}  // namespace wick
