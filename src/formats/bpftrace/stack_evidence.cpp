#include "formats/bpftrace/stack_evidence.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace wick {
namespace {

constexpr std::array<std::string_view, 21> kKernelNames{
    "entry_SYSCALL_64_after_hwframe",
    "entry_SYSCALL_64",
    "do_syscall_64",
    "ret_from_fork",
    "ret_from_fork_asm",
    "start_kernel",
    "x86_64_start_kernel",
    "secondary_startup_64",
    "secondary_startup_64_no_verify",
    "common_startup_64",
    "cpu_startup_entry",
    "do_idle",
    "kthread",
    "worker_thread",
    "el0t_64_sync",
    "el0t_64_sync_handler",
    "el0_svc",
    "el1h_64_irq",
    "exc_page_fault",
    "schedule",
    "__schedule",
};
constexpr std::array<std::string_view, 6> kKernelPrefixes{"asm_",      "__x64_sys_", "__arm64_sys_",
                                                          "__se_sys_", "__do_sys_",  "sysvec_"};
constexpr std::array<std::string_view, 6> kUserNames{"main",   "_start", "start_thread",
                                                     "clone3", "clone",  "__clone"};

bool is_one_of(std::string_view text, const auto& names) {
  return std::ranges::find(names, text) != names.end();
}

bool starts_with_any(std::string_view text, const auto& prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return text.starts_with(prefix); });
}

}  // namespace

FrameText split_bpftrace_frame(std::string_view line) {
  line = trim(line);
  if (line.starts_with("0x"))
    if (const auto address = parse_number<u64>(line.substr(2), 16))
      return {.address = *address, .symbol = {}, .object = {}};
  // In perf mode 16 digits are not asked for: "8 0x8 ([unknown])".
  const auto split = split_frame(line);
  if (split && (!split->symbol.empty() || line.size() >= 8)) return *split;
  return {.address = 0, .symbol = without_offset(line), .object = {}};
}

int kernel_evidence(const FrameText& frame) {
  if (is_kernel_address(frame.address)) return 1;
  if (!frame.object.empty()) return is_kernel_object(frame.object) ? 1 : -1;
  if (frame.address != 0) return -1;
  const std::string_view name = frame.symbol;
  if (is_one_of(name, kKernelNames) || starts_with_any(name, kKernelPrefixes)) return 1;
  const bool user = is_one_of(name, kUserNames) || name.starts_with("__libc_start") ||
                    name.find_first_of("(<@") != std::string_view::npos || name.contains("::");
  return user ? -1 : 0;
}

}  // namespace wick
