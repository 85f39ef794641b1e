// Typed access to BPF maps: batches instead of one system call a key, per-CPU values summed.
#pragma once

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

// Takes every entry out of a hash map nobody writes to, in batches (FIELD.md: 180 ns a key against
// 1,270). `visit(key, value)` is called for each.
template <class Key, class Value, class F>
[[nodiscard]] Status drain_map(int fd, F&& visit) {
  constexpr u32 kBatch = 512;
  std::vector<Key> keys(kBatch);
  std::vector<Value> values(kBatch);
  Key cursor{};
  bool first = true;
  while (true) {
    auto count = static_cast<u32>(keys.size());
    const int code = bpf_map_lookup_and_delete_batch(fd, first ? nullptr : &cursor, &cursor,
                                                     keys.data(), values.data(), &count, nullptr);
    // ENOSPC: one bucket holds more than a batch; a larger batch goes through.
    if (code == -ENOSPC) {
      keys.resize(keys.size() * 2);
      values.resize(keys.size());
      continue;
    }
    if (code != 0 && code != -ENOENT) return fail_errno("read a BPF map", -code);
    for (u32 i = 0; i < count; i++) visit(keys[i], values[i]);
    if (code == -ENOENT) return {};
    first = false;
  }
}

// One value per possible CPU of entry 0 of a per-CPU array.
template <class Value>
[[nodiscard]] Result<std::vector<Value>> read_per_cpu(int fd) {
  static_assert(sizeof(Value) % 8 == 0, "the kernel pads per-CPU values to 8 bytes");
  const int cpus = libbpf_num_possible_cpus();
  if (cpus < 0) return fail_errno("count CPUs", -cpus);
  std::vector<Value> values(static_cast<std::size_t>(cpus));
  const u32 zero = 0;
  if (bpf_map_lookup_elem(fd, &zero, values.data()) != 0) return fail_errno("read a BPF map");
  return values;
}

// One value per possible CPU of entry `key`, which is zeroed: nobody may write to it meanwhile.
template <class Value>
[[nodiscard]] Result<std::vector<Value>> take_per_cpu(int fd, u32 key) {
  static_assert(sizeof(Value) % 8 == 0, "the kernel pads per-CPU values to 8 bytes");
  const int cpus = libbpf_num_possible_cpus();
  if (cpus < 0) return fail_errno("count CPUs", -cpus);
  std::vector<Value> values(static_cast<std::size_t>(cpus));
  if (bpf_map_lookup_elem(fd, &key, values.data()) != 0) return fail_errno("read a BPF map");
  const std::vector<Value> zeros(values.size());
  if (bpf_map_update_elem(fd, &key, zeros.data(), BPF_ANY) != 0)
    return fail_errno("clear a BPF map");
  return values;
}

}  // namespace wick
