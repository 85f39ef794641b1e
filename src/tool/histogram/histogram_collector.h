// HistogramCollector: takes what bpf/lib/histogram.bpf.h counts out of the kernel, an interval at a
// time, while it goes on counting; nothing is lost or counted twice between two. One thread.
//
//   HistogramCollector collector{TRY(HistogramMaps::of(object)), kMicroseconds};
//   collector.set_sizes(by_key);                     // before the load
//   TRY(collector.poll());                           // now and then
//   for (const KeyedHistogram& one : TRY(collector.take())) print(one);
#pragma once

#include <bpf/libbpf.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bpf/abi/histogram.h"
#include "tool/run/two_sets.h"
#include "views/histogram.h"

namespace wick {

// The maps of an object that includes histogram.bpf.h.
struct HistogramMaps {
  TwoSets keyed;
  bpf_map* slots;

  [[nodiscard]] static Result<HistogramMaps> of(const BpfObject& object) {
    return HistogramMaps{
        TRY(TwoSets::of(object, {"histograms_a", "histograms_b"}, "histogram_entries")),
        TRY(object.map("histogram_slots"))};
  }
};

// Two parts, as the tool put them.
struct HistogramKey {
  u64 first = 0;
  u32 second = 0;
  friend auto operator<=>(const HistogramKey&, const HistogramKey&) = default;
};

struct KeyedHistogram {
  HistogramKey key;
  std::string comm;
  Histogram histogram;
};

class HistogramCollector {
 public:
  HistogramCollector(HistogramMaps maps, HistogramUnit unit)
      : maps_(std::move(maps)), unit_(unit) {}

  // `most_keys` where it is known: large maps cost time at the start.
  void set_sizes(bool by_key, u32 most_keys = 0);
  // Makes room when there is little left.
  [[nodiscard]] Status poll();
  // What was counted since the last look or take; the next take has it too.
  [[nodiscard]] Result<std::vector<KeyedHistogram>> look();
  // What was counted since the last take, the most often hit last. Empty ones are left out.
  [[nodiscard]] Result<std::vector<KeyedHistogram>> take();

 private:
  [[nodiscard]] Status flip_and_drain();
  void put_aside();
  [[nodiscard]] Status drain_keyed(int fd);
  [[nodiscard]] Status drain_slots(u32 set);
  Histogram& histogram_of(HistogramKey key, const char* comm);

  HistogramMaps maps_;
  HistogramUnit unit_;
  bool by_key_ = false;
  std::map<HistogramKey, KeyedHistogram> fresh_;
  std::map<HistogramKey, KeyedHistogram> looked_at_;
};

}  // namespace wick
