// Functions of the kernel and its modules by their names, from /proc/kallsyms. One thread.
//
//   std::vector<KernelFunction> functions = TRY(find_kernel_functions(
//       [](std::string_view name) { return name.starts_with("vfs_"); }));
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct KernelFunction {
  u64 address = 0;  // 0: hidden (kptr_restrict)
  std::string name;
};

// By address, one for each. Parts the compiler moved away (vfs_write.cold) are no functions.
[[nodiscard]] Result<std::vector<KernelFunction>> find_kernel_functions(
    const std::function<bool(std::string_view)>& is_wanted,
    const std::string& path = "/proc/kallsyms");

// Fails where addresses are hidden.
[[nodiscard]] Result<std::vector<u64>> addresses_of(const std::vector<KernelFunction>& functions);

}  // namespace wick
