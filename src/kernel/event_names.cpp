#include "kernel/event_names.h"

#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace wick {
namespace {

struct KnownEvent {
  std::string_view name;
  std::string_view alias;
  NamedEvent event;
};

constexpr KnownEvent software(std::string_view name, u64 config, std::string_view alias = {}) {
  return {name, alias, {PERF_TYPE_SOFTWARE, config, false}};
}
constexpr KnownEvent clock(std::string_view name, u64 config) {
  return {name, {}, {PERF_TYPE_SOFTWARE, config, true}};
}
constexpr KnownEvent hardware(std::string_view name, u64 config, std::string_view alias = {}) {
  return {name, alias, {PERF_TYPE_HARDWARE, config, true}};
}

constexpr std::array kEvents{
    clock("cpu-clock", PERF_COUNT_SW_CPU_CLOCK),
    clock("task-clock", PERF_COUNT_SW_TASK_CLOCK),
    software("page-faults", PERF_COUNT_SW_PAGE_FAULTS, "faults"),
    software("minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN),
    software("major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ),
    software("context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, "cs"),
    software("cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS, "migrations"),
    software("alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS),
    software("emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS),
    software("cgroup-switches", PERF_COUNT_SW_CGROUP_SWITCHES),
    hardware("cycles", PERF_COUNT_HW_CPU_CYCLES, "cpu-cycles"),
    hardware("instructions", PERF_COUNT_HW_INSTRUCTIONS),
    hardware("branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branch-instructions"),
    hardware("branch-misses", PERF_COUNT_HW_BRANCH_MISSES),
    hardware("cache-references", PERF_COUNT_HW_CACHE_REFERENCES),
    hardware("cache-misses", PERF_COUNT_HW_CACHE_MISSES),
    hardware("ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES),
    hardware("bus-cycles", PERF_COUNT_HW_BUS_CYCLES),
    hardware("stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
             "idle-cycles-frontend"),
    hardware("stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "idle-cycles-backend"),
};

struct Part {
  std::string_view name;
  u64 value;
};
constexpr std::array kCaches{
    Part{"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, Part{"L1-icache", PERF_COUNT_HW_CACHE_L1I},
    Part{"LLC", PERF_COUNT_HW_CACHE_LL},        Part{"dTLB", PERF_COUNT_HW_CACHE_DTLB},
    Part{"iTLB", PERF_COUNT_HW_CACHE_ITLB},     Part{"branch", PERF_COUNT_HW_CACHE_BPU},
    Part{"node", PERF_COUNT_HW_CACHE_NODE},
};
// The operation in the second byte, its result in the third.
constexpr u64 access_of(u64 operation, u64 result) {
  return operation << 8U | result << 16U;
}
constexpr std::array kAccesses{
    Part{"loads", access_of(PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    Part{"load-misses", access_of(PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    Part{"stores", access_of(PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    Part{"store-misses", access_of(PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    Part{"prefetches",
         access_of(PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    Part{"prefetch-misses",
         access_of(PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS)},
};

std::optional<NamedEvent> cache_event(std::string_view name) {
  for (const Part& cache : kCaches) {
    if (!name.starts_with(cache.name) || !name.substr(cache.name.size()).starts_with('-')) continue;
    const auto* const access =
        std::ranges::find(kAccesses, name.substr(cache.name.size() + 1), &Part::name);
    if (access == kAccesses.end()) continue;
    return NamedEvent{
        .type = PERF_TYPE_HW_CACHE, .config = cache.value | access->value, .by_time = true};
  }
  return std::nullopt;
}

std::optional<NamedEvent> raw_event(std::string_view name) {
  if (!name.starts_with('r') || name.size() < 2) return std::nullopt;
  const auto config = parse_number<u64>(name.substr(1), 16);
  if (!config) return std::nullopt;
  return NamedEvent{.type = PERF_TYPE_RAW, .config = *config, .by_time = true};
}

}  // namespace

std::optional<NamedEvent> find_named_event(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const KnownEvent& known : kEvents)
    if (name == known.name || name == known.alias) return known.event;
  if (const auto event = cache_event(name)) return event;
  return raw_event(name);
}

std::vector<std::string> event_names() {
  std::vector<std::string> names;
  for (const KnownEvent& known : kEvents) names.emplace_back(known.name);
  for (const Part& cache : kCaches)
    for (const Part& access : kAccesses)
      names.push_back(fmt::format("{}-{}", cache.name, access.name));
  return names;
}

}  // namespace wick
