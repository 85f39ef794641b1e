#include "tool/histogram_collector.h"

#include <algorithm>

#include "base/text.h"
#include "kernel/map_ops.h"

namespace wick {
namespace {

// Some fifteen hundred keys at twenty slots each between two looks; 3.4 MB a set.
constexpr u32 kEntries = 32'768;

}  // namespace

void HistogramCollector::set_sizes(bool by_key) {
  by_key_ = by_key;
  for (bpf_map* map : maps_.keyed) bpf_map__set_max_entries(map, by_key ? kEntries : 1);
}

Status HistogramCollector::poll() {
  if (by_key_ && maps_.entries_in_use() > kEntries / 2) return flip_and_drain();
  return {};
}

Result<std::vector<KeyedHistogram>> HistogramCollector::take() {
  TRY(flip_and_drain());
  std::vector<KeyedHistogram> out;
  for (auto& [key, one] : std::exchange(taken_, {}))
    if (one.histogram.count() != 0) out.push_back(std::move(one));
  std::ranges::sort(
      out, {}, [](const KeyedHistogram& one) { return std::pair{one.histogram.count(), one.key}; });
  return out;
}

// The update of the barrier returns only when no program can still count in the old set.
Status HistogramCollector::flip_and_drain() {
  const u32 old = active_set_;
  const int old_fd = bpf_map__fd(maps_.keyed[old]);
  active_set_ = 1 - old;
  maps_.use_set(active_set_);
  const u32 zero = 0;
  if (bpf_map_update_elem(bpf_map__fd(maps_.flip_barrier), &zero, &old_fd, BPF_ANY) != 0)
    return fail_errno("flip the BPF maps");
  return by_key_ ? drain_keyed(old_fd) : drain_slots(old);
}

Status HistogramCollector::drain_keyed(int fd) {
  return drain_map<wick_histogram_key, wick_histogram_value>(
      fd, [&](const wick_histogram_key& key, const wick_histogram_value& value) {
        histogram_of({key.first, key.second}, value.comm).add(key.slot, value.hits);
      });
}

Status HistogramCollector::drain_slots(u32 set) {
  const int fd = bpf_map__fd(maps_.slots);
  const int cpus = libbpf_num_possible_cpus();
  if (cpus < 0) return fail_errno("count CPUs", -cpus);
  std::vector<wick_histogram_slots> values(static_cast<std::size_t>(cpus));
  if (bpf_map_lookup_elem(fd, &set, values.data()) != 0) return fail_errno("read a BPF map");
  Histogram& histogram = histogram_of({}, "");
  for (const wick_histogram_slots& cpu : values)
    for (u32 slot = 0; slot < WICK_HISTOGRAM_SLOTS; slot++) histogram.add(slot, cpu.hits[slot]);
  std::ranges::fill(values, wick_histogram_slots{});
  if (bpf_map_update_elem(fd, &set, values.data(), BPF_ANY) != 0)
    return fail_errno("clear a BPF map");
  return {};
}

Histogram& HistogramCollector::histogram_of(HistogramKey key, const char* comm) {
  const auto found = taken_.find(key);
  if (found != taken_.end()) return found->second.histogram;
  std::string name{fixed_text(comm, *comm == 0 ? 0 : std::size_t{WICK_HISTOGRAM_COMM})};
  KeyedHistogram one{.key = key, .comm = std::move(name), .histogram = Histogram{unit_}};
  return taken_.emplace(key, std::move(one)).first->second.histogram;
}

}  // namespace wick
