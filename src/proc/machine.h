// The machine: its CPUs, its name, its kernel. Thread rule: free functions, no state.
//
//   std::vector<u32> cpus = TRY(parse_cpu_list("0-3,5"));   // 0 1 2 3 5
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

// Linux knows at most 8192 CPUs; the rest is room for tomorrow and a bound for "0-4294967295".
inline constexpr u32 kMaxCpus = 65'536;

// Ascending, each once. An empty list or piece is a usage error.
[[nodiscard]] Result<std::vector<u32>> parse_cpu_list(std::string_view text);
// "0-3,5", the inverse.
[[nodiscard]] std::string cpu_list_text(const std::vector<u32>& cpus);

[[nodiscard]] Result<std::vector<u32>> online_cpus();
// What a person asked for by --cpu: each must be online.
[[nodiscard]] Result<std::vector<u32>> wanted_cpus(std::string_view text);
// Those the kernel may ever bring up: a per-CPU map has one value for each, in this order.
[[nodiscard]] Result<std::vector<u32>> possible_cpus();

[[nodiscard]] std::string host_name();
[[nodiscard]] std::string kernel_release();

}  // namespace wick
