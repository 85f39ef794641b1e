#include "tool/histogram/histogram_collector.h"

#include <algorithm>

#include "base/text.h"
#include "kernel/map_ops.h"

namespace wick {
namespace {

// Some fifteen hundred keys at twenty slots each between two looks; 3.4 MB a set.
constexpr u32 kEntries = 32'768;

}  // namespace

void HistogramCollector::set_sizes(bool by_key, u32 most_keys) {
  by_key_ = by_key;
  const u64 most = u64{most_keys} * WICK_HISTOGRAM_SLOTS;
  const u32 room = most == 0 ? kEntries : static_cast<u32>(std::min<u64>(kEntries, most));
  maps_.keyed.set_room(by_key ? room : 1);
}

Status HistogramCollector::poll() {
  return maps_.keyed.is_half_full() ? flip_and_drain() : Status{};
}

void HistogramCollector::put_aside() {
  for (auto& [key, one] : std::exchange(fresh_, {})) {
    const auto found = looked_at_.find(key);
    if (found == looked_at_.end())
      looked_at_.emplace(key, std::move(one));
    else
      found->second.histogram.add(one.histogram);
  }
}

Result<std::vector<KeyedHistogram>> HistogramCollector::look() {
  TRY(flip_and_drain());
  std::vector<KeyedHistogram> out;
  for (const auto& [key, one] : fresh_)
    if (one.histogram.count() != 0) out.push_back(one);
  put_aside();
  return out;
}

Result<std::vector<KeyedHistogram>> HistogramCollector::take() {
  TRY(flip_and_drain());
  put_aside();
  std::vector<KeyedHistogram> out;
  for (auto& [key, one] : std::exchange(looked_at_, {}))
    if (one.histogram.count() != 0) out.push_back(std::move(one));
  std::ranges::sort(
      out, {}, [](const KeyedHistogram& one) { return std::pair{one.histogram.count(), one.key}; });
  return out;
}

Status HistogramCollector::flip_and_drain() {
  const OldSet old = TRY(maps_.keyed.flip());
  return by_key_ ? drain_keyed(old.fd) : drain_slots(old.number);
}

Status HistogramCollector::drain_keyed(int fd) {
  return drain_map<wick_histogram_key, wick_histogram_value>(
      fd, [&](const wick_histogram_key& key, const wick_histogram_value& value) {
        histogram_of({key.first, key.second}, value.comm).add(key.slot, value.hits);
      });
}

Status HistogramCollector::drain_slots(u32 set) {
  Histogram& histogram = histogram_of({}, "");
  for (const auto& cpu : TRY(take_per_cpu<wick_histogram_slots>(bpf_map__fd(maps_.slots), set)))
    for (u32 slot = 0; slot < WICK_HISTOGRAM_SLOTS; slot++) histogram.add(slot, cpu.hits[slot]);
  return {};
}

Histogram& HistogramCollector::histogram_of(HistogramKey key, const char* comm) {
  const auto found = fresh_.find(key);
  if (found != fresh_.end()) return found->second.histogram;
  std::string name{fixed_text(comm, *comm == 0 ? 0 : std::size_t{WICK_HISTOGRAM_COMM})};
  KeyedHistogram one{.key = key, .comm = std::move(name), .histogram = Histogram{unit_}};
  return fresh_.emplace(key, std::move(one)).first->second.histogram;
}

}  // namespace wick
