#include "tool/unwind/unwind_usage.h"

#include <algorithm>

namespace wick {

void UnwindUsage::loaded(const TablePlace& place, u64 now_ns) {
  entries_.insert_or_assign(name_of(place), Entry{place, now_ns});
}

void UnwindUsage::used(const TablePlace& place, u64 now_ns) {
  const auto found = entries_.find(name_of(place));
  if (found != entries_.end()) found->second.used_ns = now_ns;
}

bool UnwindUsage::is_loaded(const TablePlace& place) const {
  return entries_.contains(name_of(place));
}

std::vector<TablePlace> UnwindUsage::take_idle(u64 words, u64 now_ns) {
  std::vector<Entry> idle;
  for (const auto& [name, entry] : entries_)
    if (entry.used_ns + kIdleNs <= now_ns) idle.push_back(entry);
  std::ranges::sort(idle, {}, &Entry::used_ns);
  std::vector<TablePlace> out;
  u64 freed = 0;
  for (const Entry& entry : idle) {
    if (freed >= words) break;
    freed += entry.place.words;
    out.push_back(entry.place);
  }
  if (freed < words) return {};
  for (const TablePlace& place : out) entries_.erase(name_of(place));
  return out;
}

}  // namespace wick
