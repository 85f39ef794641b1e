#include "profile/sample_index.h"

#include <algorithm>

#include "base/hash.h"

namespace wick {
namespace {

// Seeded: labels and PIDs come from files, and must not be made to meet in one place.
u64 mix_in(u64 hash, u64 value) {
  return fold_multiply(hash ^ 0x9E3779B97F4A7C15, value ^ kHashSeed);
}

u64 hash_of(const Sample& sample) {
  u64 hash = mix_in(sample.stack.value(), (u64{sample.pid} << 32) | sample.tid);
  hash = mix_in(hash, sample.comm.value());
  for (const Label& label : sample.labels) {
    hash = mix_in(hash, (u64{label.key.value()} << 32) | label.text.value());
    hash = mix_in(hash, static_cast<u64>(label.number) ^ (u64{label.unit.value()} << 40));
  }
  return hash;
}

bool same(const Sample& a, const Sample& b) {
  return a.stack == b.stack && a.pid == b.pid && a.tid == b.tid && a.comm == b.comm &&
         a.labels == b.labels;
}

}  // namespace

void SampleIndex::rebuild(const Profile& profile) {
  std::size_t size = 64;
  while (size < (profile.samples().size() + 1) * 4) size *= 2;
  slots_.assign(size, 0);
  used_ = 0;
  for (std::size_t i = 0; i < profile.samples().size(); i++)
    insert(hash_of(profile.samples()[i]), static_cast<u32>(i));
}

void SampleIndex::insert(u64 hash, u32 index) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at] != 0) at = (at + 1) & mask;
  slots_[at] = index + 1;
  used_++;
}

std::size_t SampleIndex::add(Profile& profile, Sample sample, std::span<const i64> values) {
  if ((used_ + 1) * 2 > slots_.size()) rebuild(profile);
  const u64 hash = hash_of(sample);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at] != 0; at = (at + 1) & mask) {
    const std::size_t index = slots_[at] - 1;
    if (!same(profile.samples()[index], sample)) continue;
    profile.add_to_sample(index, values);
    return index;
  }
  const std::size_t index = profile.samples().size();
  insert(hash, static_cast<u32>(index));
  profile.add_sample(std::move(sample), values);
  return index;
}

}  // namespace wick
