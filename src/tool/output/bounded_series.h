// BoundedSeries<V>: values by their labels, not more than `most` of them. Beyond that the smallest
// become one, for good: a sum that was told once never gets smaller. One thread.
//
//   BoundedSeries<Histogram> series{Histogram{unit}, 200, weight, merge};
//   series.add({{"disk", "sda"}}, histogram);
//   series.fold();
//   for (const auto& [labels, value] : series.all()) …       // {other="true"} among them
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tool/output/prometheus.h"

namespace wick {

template <class V>
class BoundedSeries {
 public:
  using Weight = std::function<double(const V&)>;
  using Merge = std::function<void(V& into, const V& from)>;

  BoundedSeries(V empty, std::size_t most, Weight weight, Merge merge)
      : empty_(std::move(empty)),
        most_(most),
        weight_(std::move(weight)),
        merge_(std::move(merge)) {}

  void add(const MetricLabels& labels, const V& value) {
    merge_(series_.try_emplace(labels, empty_).first->second, value);
  }

  // After everything of one time was added.
  void fold() {
    if (series_.size() <= most_) return;
    std::vector<std::pair<double, MetricLabels>> by_weight;
    for (const auto& [labels, value] : series_) by_weight.emplace_back(weight_(value), labels);
    const auto end = by_weight.begin() + static_cast<std::ptrdiff_t>(series_.size() - most_);
    std::ranges::nth_element(by_weight, end);
    if (!other_) other_ = empty_;
    for (auto at = by_weight.begin(); at != end; ++at) {
      merge_(*other_, series_.at(at->second));
      series_.erase(at->second);
    }
  }

  [[nodiscard]] std::vector<std::pair<MetricLabels, const V*>> all() const {
    std::vector<std::pair<MetricLabels, const V*>> out;
    for (const auto& [labels, value] : series_) out.emplace_back(labels, &value);
    if (other_) out.emplace_back(MetricLabels{{"other", "true"}}, &*other_);
    return out;
  }

 private:
  V empty_;
  std::size_t most_;
  Weight weight_;
  Merge merge_;
  std::map<MetricLabels, V> series_;
  std::optional<V> other_;
};

}  // namespace wick
