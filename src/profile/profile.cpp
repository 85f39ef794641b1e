#include "profile/profile.h"

#include <algorithm>
#include <cassert>

#include "base/saturating.h"

namespace wick {
namespace {

constexpr u64 mix(u64 hash, u64 value) {
  constexpr u64 kOdd = 0x9FB21C651E98DF25;
  hash ^= value;
  hash = (hash << 27) | (hash >> 37);
  return hash * kOdd;
}

u64 hash_of(const Mapping& m) {
  u64 h = mix(m.path.value(), m.build_id.value());
  h = mix(h, m.start);
  h = mix(h, m.limit);
  return mix(h, m.file_offset);
}

u64 hash_of(const Frame& f) {
  u64 h = mix(f.name.value(), f.mapping.value());
  h = mix(h, f.file.value());
  h = mix(h, (u64{f.line} << 16) | (u64{static_cast<u8>(f.kind)} << 1) | u64{f.named});
  return mix(h, f.address);
}

u64 hash_of(std::span<const FrameId> frames) {
  u64 h = frames.size();
  for (const FrameId id : frames) h = mix(h, id.value());
  return h;
}

}  // namespace

template <class Equal>
u32* Profile::IndexSet::find(u64 hash, Equal equal) {
  if (slots_.empty()) return nullptr;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = (hash >> 7) & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (!slot.used) return nullptr;
    if (slot.hash == hash && equal(slot.index)) return &slot.index;
  }
}

void Profile::IndexSet::insert(u64 hash, u32 index) {
  if ((used_ + 1) * 2 > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (hash >> 7) & mask;
  while (slots_[at].used) at = (at + 1) & mask;
  slots_[at] = {.hash = hash, .index = index, .used = true};
  used_++;
}

void Profile::IndexSet::grow() {
  std::vector<Slot> old(std::max<std::size_t>(64, slots_.size() * 2));
  old.swap(slots_);
  used_ = 0;
  for (const Slot& slot : old)
    if (slot.used) insert(slot.hash, slot.index);
}

Profile::Profile() {
  add_mapping({});
}

MappingId Profile::add_mapping(const Mapping& mapping) {
  const u64 hash = hash_of(mapping);
  if (const u32* found = mapping_index_.find(hash, [&](u32 i) { return mappings_[i] == mapping; }))
    return MappingId{*found};
  const MappingId id{mappings_.size()};
  mappings_.push_back(mapping);
  mapping_index_.insert(hash, id.value());
  return id;
}

FrameId Profile::add_frame(const Frame& frame) {
  const u64 hash = hash_of(frame);
  if (const u32* found = frame_index_.find(hash, [&](u32 i) { return frames_[i] == frame; }))
    return FrameId{*found};
  const FrameId id{frames_.size()};
  frames_.push_back(frame);
  frame_index_.insert(hash, id.value());
  return id;
}

StackId Profile::add_stack(std::span<const FrameId> leaf_first) {
  const u64 hash = hash_of(leaf_first);
  const auto same = [&](u32 i) { return std::ranges::equal(stack(StackId{i}), leaf_first); };
  if (const u32* found = stack_index_.find(hash, same)) return StackId{*found};
  const StackId id{stacks_.size()};
  stacks_.push_back({.begin = static_cast<u32>(stack_frames_.size()),
                     .size = static_cast<u32>(leaf_first.size())});
  stack_frames_.insert(stack_frames_.end(), leaf_first.begin(), leaf_first.end());
  stack_index_.insert(hash, id.value());
  return id;
}

void Profile::add_sample(Sample sample, std::span<const i64> values) {
  assert(values.size() == value_types_.size());
  samples_.push_back(std::move(sample));
  values_.insert(values_.end(), values.begin(), values.end());
}

void Profile::add_value_type(ValueType type) {
  const std::size_t width = value_types_.size();
  std::vector<i64> wider;
  wider.reserve(samples_.size() * (width + 1));
  for (std::size_t i = 0; i < samples_.size(); i++) {
    const auto row = values(i);
    wider.insert(wider.end(), row.begin(), row.end());
    wider.push_back(0);
  }
  values_ = std::move(wider);
  value_types_.push_back(std::move(type));
}

void Profile::add_to_sample(std::size_t sample_index, std::span<const i64> values) {
  assert(values.size() == value_types_.size());
  i64* into = values_.data() + sample_index * values.size();
  for (const i64 value : values) {
    *into = saturating_add(*into, value);
    into++;
  }
}

std::span<const FrameId> Profile::stack(StackId id) const {
  const StackRange range = stacks_[id.index()];
  return std::span(stack_frames_).subspan(range.begin, range.size);
}

std::span<const i64> Profile::values(std::size_t sample_index) const {
  const std::size_t width = value_types_.size();
  return std::span(values_).subspan(sample_index * width, width);
}

i64 Profile::total(std::size_t value_index) const {
  i64 sum = 0;
  for (std::size_t i = 0; i < samples_.size(); i++)
    sum = saturating_add(sum, values(i)[value_index]);
  return sum;
}

}  // namespace wick
