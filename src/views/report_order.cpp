#include "views/report_order.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

namespace wick {

ReportFunctions::ReportFunctions(const Profile& profile) : profile_(profile) {
  collect();
  sort();
}

void ReportFunctions::collect() {
  std::map<std::pair<u32, u8>, u32> known;
  const auto add = [&](const ReportFunction& function) {
    const auto [at, is_new] =
        known.try_emplace({function.name.value(), function.kind}, static_cast<u32>(all_.size()));
    if (is_new) all_.push_back(function);
    ReportFunction& kept = all_[at->second];
    if (kept.path == StringId{}) kept.path = function.path;
    if (kept.file == StringId{}) {
      kept.file = function.file;
      kept.line = function.line;
    }
    return at->second;
  };
  of_frame_.reserve(profile_.frames().size());
  for (const Frame& frame : profile_.frames())
    of_frame_.push_back(add({.name = frame.name,
                             .kind = static_cast<u8>(frame.kind),
                             .path = profile_.mapping(frame.mapping).path,
                             .file = frame.file,
                             .line = frame.line}));
  for (const Sample& sample : profile_.samples())
    if (sample.comm != StringId{} && !of_comm_.contains(sample.comm.value()))
      of_comm_[sample.comm.value()] = add({.name = sample.comm, .kind = kTaskKind});
}

void ReportFunctions::sort() {
  std::vector<u32> order(all_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {},
                    [&](u32 at) { return std::pair(profile_.text(all_[at].name), all_[at].kind); });
  std::vector<u32> rank(all_.size());
  std::vector<ReportFunction> sorted;
  sorted.reserve(all_.size());
  for (const u32 at : order) {
    rank[at] = static_cast<u32>(sorted.size());
    sorted.push_back(all_[at]);
  }
  all_ = std::move(sorted);
  for (u32& function : of_frame_) function = rank[function];
  for (auto& [comm, function] : of_comm_) function = rank[function];
}

StackOrder::StackOrder(const Profile& profile, const ReportFunctions& functions)
    : profile_(profile),
      functions_(functions),
      bits_(static_cast<unsigned>(std::bit_width(functions.all().size() + 1))),
      keyed_(64 / bits_) {
  sort(entries());
}

std::size_t StackOrder::shared(StackId left, StackId right) const {
  const auto a = profile_.stack(left);
  const auto b = profile_.stack(right);
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t depth = 0;
  while (depth < most && function(a, depth) == function(b, depth)) depth++;
  return depth;
}

std::vector<StackOrder::Entry> StackOrder::entries() const {
  std::vector<bool> used(profile_.stack_count());
  for (const Sample& sample : profile_.samples()) used[sample.stack.index()] = true;
  std::vector<Entry> all;
  for (std::size_t i = 0; i < used.size(); i++)
    if (used[i]) all.push_back({.key = key(StackId{i}), .stack = StackId{i}});
  return all;
}

u64 StackOrder::key(StackId id) const {
  const auto stack = profile_.stack(id);
  u64 key = 0;
  for (std::size_t depth = 0; depth < keyed_; depth++)
    key = key << bits_ | (depth < stack.size() ? function(stack, depth) + u64{1} : 0);
  return key;
}

std::strong_ordering StackOrder::compare(const Entry& left, const Entry& right) const {
  if (left.key != right.key) return left.key <=> right.key;
  const auto a = profile_.stack(left.stack);
  const auto b = profile_.stack(right.stack);
  const std::size_t most = std::min(a.size(), b.size());
  for (std::size_t depth = keyed_; depth < most; depth++)
    if (const auto order = function(a, depth) <=> function(b, depth); order != 0) return order;
  return a.size() <=> b.size();
}

void StackOrder::sort(std::vector<Entry> entries) {
  std::ranges::sort(entries, [&](const Entry& a, const Entry& b) { return compare(a, b) < 0; });
  ranks_.assign(profile_.stack_count(), 0);
  u32 rank = 0;
  for (std::size_t i = 0; i < entries.size(); i++) {
    if (i > 0 && compare(entries[i - 1], entries[i]) != 0) rank++;
    ranks_[entries[i].stack.index()] = rank;
  }
}

}  // namespace wick
