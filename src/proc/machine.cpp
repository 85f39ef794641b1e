#include "proc/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <optional>

#include "base/fd.h"
#include "base/text.h"

namespace wick {
namespace {

struct CpuRange {
  u32 first = 0;
  u32 last = 0;
};

std::optional<CpuRange> parse_range(std::string_view text) {
  const bool single = text.find('-') == std::string_view::npos;
  const auto first = parse_number<u32>(take_until(text, '-'));
  const auto last = single ? first : parse_number<u32>(text);
  if (!first || !last || *first > *last || *last >= kMaxCpus) return std::nullopt;
  return CpuRange{.first = *first, .last = *last};
}

Result<std::vector<u32>> read_cpu_list(const std::string& path) {
  const std::string text = TRY(read_file(path));
  return TRY_CTX(parse_cpu_list(text), path);
}

}  // namespace

Result<std::vector<u32>> parse_cpu_list(std::string_view text) {
  std::vector<bool> wanted;
  for (const std::string_view piece : split(trim(text), ',')) {
    const auto range = parse_range(piece);
    if (!range) {
      return fail_usage("\"" + printable(piece) + "\" is no CPU or range of CPUs",
                        "write them as 0-3,5");
    }
    if (wanted.size() <= range->last) wanted.resize(range->last + 1);
    std::fill(wanted.begin() + range->first, wanted.begin() + range->last + 1, true);
  }
  std::vector<u32> cpus;
  for (u32 cpu = 0; cpu < wanted.size(); ++cpu) {
    if (wanted[cpu]) cpus.push_back(cpu);
  }
  return cpus;
}

std::string cpu_list_text(const std::vector<u32>& cpus) {
  std::string out;
  for (std::size_t at = 0; at < cpus.size();) {
    std::size_t end = at + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!out.empty()) out += ',';
    out += std::to_string(cpus[at]);
    if (end - at > 1) out += '-' + std::to_string(cpus[end - 1]);
    at = end;
  }
  return out;
}

Result<std::vector<u32>> online_cpus() {
  return read_cpu_list("/sys/devices/system/cpu/online");
}

Result<std::vector<u32>> wanted_cpus(std::string_view text) {
  std::vector<u32> cpus = TRY(parse_cpu_list(text));
  const std::vector<u32> online = TRY(online_cpus());
  for (const u32 cpu : cpus) {
    if (!std::ranges::binary_search(online, cpu)) {
      return fail_usage("CPU " + std::to_string(cpu) + " is not online",
                        "online are " + cpu_list_text(online));
    }
  }
  return cpus;
}

Result<std::vector<u32>> possible_cpus() {
  return read_cpu_list("/sys/devices/system/cpu/possible");
}

std::string host_name() {
  utsname names{};
  return ::uname(&names) == 0 ? static_cast<const char*>(names.nodename) : "";
}

std::string kernel_release() {
  utsname names{};
  return ::uname(&names) == 0 ? static_cast<const char*>(names.release) : "";
}

}  // namespace wick
