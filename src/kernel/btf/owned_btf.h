// BTF of libbpf with an owner.
#pragma once

#include <bpf/btf.h>

#include <memory>

namespace wick {

struct BtfFree {
  void operator()(btf* types) const { btf__free(types); }
};
using OwnedBtf = std::unique_ptr<btf, BtfFree>;

}  // namespace wick
