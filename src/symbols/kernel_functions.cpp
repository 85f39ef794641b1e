#include "symbols/kernel_functions.h"

#include <algorithm>

#include "symbols/kallsyms.h"

namespace wick {

Result<std::vector<KernelFunction>> find_kernel_functions(
    const std::function<bool(std::string_view)>& is_wanted, const std::string& path) {
  std::vector<KernelFunction> out;
  TRY(read_kallsyms(path, [&](const KallsymsLine& line) {
    const std::string_view name = line.name();
    if (!line.is_code() || name.contains(".cold") || !is_wanted(name)) return;
    out.push_back({.address = line.address, .name = std::string(name)});
  }));
  std::ranges::stable_sort(out, {}, &KernelFunction::address);
  const auto same = [](const KernelFunction& a, const KernelFunction& b) {
    return a.address == b.address && a.address != 0;
  };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

Result<std::vector<u64>> addresses_of(const std::vector<KernelFunction>& functions) {
  std::vector<u64> out;
  for (const KernelFunction& function : functions) {
    if (function.address == 0)
      return fail("the kernel hides the addresses of its functions",
                  "sysctl kernel.kptr_restrict=1 shows them to root");
    out.push_back(function.address);
  }
  return out;
}

}  // namespace wick
