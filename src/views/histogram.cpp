#include "views/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wick {
namespace {

constexpr u32 kSubSlots = 1U << WICK_HISTOGRAM_SUB_BITS;

u64 saturated_add(u64 a, u64 b) {
  u64 sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~u64{0} : sum;
}

void merge(wick_histogram_hits& into, const wick_histogram_hits& hits) {
  into.count = saturated_add(into.count, hits.count);
  into.sum = saturated_add(into.sum, hits.sum);
  into.max = std::max<u64>(into.max, hits.max);
}

// The row of bcc's a slot belongs to: what histogram_slot() of the kernel side does, backwards.
std::size_t row_of_slot(u32 slot) {
  const u32 shift = slot < 2 * kSubSlots ? 0 : slot / kSubSlots - 1;
  const u64 fixed = slot < 2 * kSubSlots ? slot : u64{slot % kSubSlots + kSubSlots} << shift;
  const u64 units = fixed >> WICK_HISTOGRAM_FRACTION_BITS;
  return units <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(units)) - 1;
}

}  // namespace

void Histogram::add(u32 slot, const wick_histogram_hits& hits) {
  if (slot >= WICK_HISTOGRAM_SLOTS || hits.count == 0) return;
  merge(slots_[slot], hits);
  merge(all_, hits);
}

void Histogram::add(const Histogram& other) {
  for (const auto& [slot, hits] : other.slots_) add(slot, hits);
}

double Histogram::average() const {
  return all_.count == 0 ? 0 : static_cast<double>(all_.sum) / static_cast<double>(all_.count);
}

double Histogram::percentile(double share) const {
  const double rank = std::ceil(share * static_cast<double>(all_.count));
  double seen = 0;
  for (const auto& [slot, hits] : slots_) {
    seen += static_cast<double>(hits.count);
    if (seen >= rank) return static_cast<double>(hits.sum) / static_cast<double>(hits.count);
  }
  return static_cast<double>(all_.max);
}

std::vector<u64> Histogram::rows() const {
  std::vector<u64> rows;
  for (const auto& [slot, hits] : slots_) {
    const std::size_t row = row_of_slot(slot);
    if (rows.size() <= row) rows.resize(row + 1);
    rows[row] += hits.count;
  }
  return rows;
}

}  // namespace wick
