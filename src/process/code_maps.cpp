#include "process/code_maps.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace wick {
namespace {

// A chain of forks without an exec: the next one gets a copy of what is mapped, so that no chain of
// ended processes is kept for one that lives.
constexpr int kMaxForks = 16;
// A process that maps code without end (a JIT gone wild) makes us keep no more than this.
constexpr std::size_t kMaxMappingsPerProcess = 16'384;
// Nor does a thousand of them: what a process may have once so many are known. Browsers have 200.
constexpr std::size_t kFewProcesses = 64;
constexpr std::size_t kMaxMappingsOfMany = 1024;
// And when all of them together have used up their bytes.
constexpr std::size_t kMaxMappingsWhenFull = 64;
constexpr std::size_t kFewestFilesToSweep = 4096;

const CodeMapping* covering(const std::vector<CodeMapping>& sorted, u64 address) {
  const auto above = std::ranges::upper_bound(sorted, address, {}, &CodeMapping::start);
  if (above == sorted.begin()) return nullptr;
  const CodeMapping& below = *std::prev(above);
  return address < below.end ? &below : nullptr;
}

// A new mapping takes the place of what it covers.
void put_over(std::map<u64, CodeMapping>& mapped, const CodeMapping& added) {
  auto at = mapped.upper_bound(added.start);
  if (at != mapped.begin()) --at;
  while (at != mapped.end() && at->second.start < added.end) {
    const CodeMapping old = at->second;
    if (old.end <= added.start) {
      ++at;
      continue;
    }
    at = mapped.erase(at);
    if (old.start < added.start) {
      CodeMapping front = old;
      front.end = added.start;
      mapped.insert_or_assign(front.start, front);
    }
    if (old.end > added.end) {
      CodeMapping back = old;
      back.start = added.end;
      back.file_offset += added.end - old.start;
      mapped.insert_or_assign(back.start, back);
    }
  }
  mapped.insert_or_assign(added.start, added);
}

}  // namespace

CodeMaps::Life::Life(Usage& usage) : usage_(usage) {
  usage_.lives++;
  account();
}

CodeMaps::Life::~Life() {
  usage_.lives--;
  usage_.bytes -= bytes_;
}

void CodeMaps::Life::account() {
  const std::size_t now = sizeof(Life) + snapshot.capacity() * sizeof(CodeMapping) + mapped.bytes();
  usage_.bytes += now - bytes_;
  bytes_ = now;
}

std::size_t CodeMaps::mapping_limit() const {
  if (usage_->bytes > budget_.bytes) return kMaxMappingsWhenFull;
  return processes_.size() <= kFewProcesses ? kMaxMappingsPerProcess : kMaxMappingsOfMany;
}

CodeMaps::LifePtr CodeMaps::new_life(u64 began_ns) {
  LifePtr life = std::make_shared<Life>(*usage_);
  life->began_ns = began_ns;
  return life;
}

void CodeMaps::begin_life(u32 pid, const LifePtr& life) {
  auto& lives = processes_[pid];
  const auto after = std::ranges::upper_bound(lives, life->began_ns, {},
                                              [](const LifePtr& l) { return l->began_ns; });
  if (after != lives.begin()) {
    const LifePtr& before = *std::prev(after);
    // Rings of several CPUs may hand over a little out of order.
    for (const CodeMapping& mapping : before->mapped.take_since(life->began_ns))
      life->mapped.add(mapping);
    if (before->ended_ns == 0) end_life(pid, before, life->began_ns);
  }
  if (after != lives.end()) end_life(pid, life, (*after)->began_ns);
  life->account();
  lives.insert(after, life);
  evict_unsampled();
}

void CodeMaps::end_life(u32 pid, const LifePtr& life, u64 time_ns) {
  life->ended_ns = std::max<u64>(time_ns, 1);
  (life->sampled_ns != 0 ? ended_sampled_ : ended_).push_back({pid, life});
}

void CodeMaps::remove(const Ended& ended) {
  const LifePtr life = ended.life.lock();
  const auto process = processes_.find(ended.pid);
  if (!life || process == processes_.end()) return;
  std::erase(process->second, life);
  if (process->second.empty()) processes_.erase(process);
}

void CodeMaps::evict_unsampled() {
  while (!ended_.empty() &&
         (ended_.size() > budget_.ended_lives || usage_->bytes > budget_.bytes)) {
    const Ended oldest = std::move(ended_.front());
    ended_.pop_front();
    const LifePtr life = oldest.life.lock();
    // Its sample came after its end.
    if (life && life->sampled_ns != 0)
      ended_sampled_.push_back(oldest);
    else
      remove(oldest);
  }
}

void CodeMaps::forget_before(u64 time_ns) {
  horizon_ns_ = time_ns;
  for (auto* ended : {&ended_, &ended_sampled_})
    std::erase_if(*ended, [&](const Ended& one) {
      const LifePtr life = one.life.lock();
      const bool is_over = !life || std::max(life->ended_ns, life->sampled_ns) < time_ns;
      if (is_over) remove(one);
      return is_over;
    });
}

void CodeMaps::inherit(Life& child, const LifePtr& parent) {
  child.forks = parent->forks + 1;
  if (child.forks <= kMaxForks) {
    child.parent = parent;
    return;
  }
  std::map<u64, CodeMapping> mapped;
  collect(*parent, child.began_ns, mapped);
  for (const auto& [start, mapping] : mapped) child.snapshot.push_back(mapping);
  child.forks = 0;
}

void CodeMaps::on_fork(u32 pid, u32 parent, u64 time_ns) {
  const LifePtr life = new_life(time_ns);
  if (parent != 0 && parent != pid) inherit(*life, life_for(parent, time_ns));
  begin_life(pid, life);
}

void CodeMaps::on_exec(u32 pid, u64 time_ns) {
  const LifePtr life = new_life(time_ns);
  life->by_exec = true;
  begin_life(pid, life);
}

void CodeMaps::on_exit(u32 pid, u64 time_ns) {
  const auto process = processes_.find(pid);
  if (process == processes_.end()) return;
  const LifePtr& last = process->second.back();
  // The PID may be somebody else's by now.
  if (last->ended_ns == 0 && last->began_ns <= time_ns) end_life(pid, last, time_ns);
  evict_unsampled();
}

const CodeMaps::LifePtr& CodeMaps::life_for(u32 pid, u64 time_ns) {
  auto& lives = processes_[pid];
  const auto after =
      std::ranges::upper_bound(lives, time_ns, {}, [](const LifePtr& l) { return l->began_ns; });
  if (after != lives.begin()) return *std::prev(after);
  const LifePtr life = new_life(0);
  const bool is_over = !lives.empty();
  const u64 end_ns = is_over ? lives.front()->began_ns : 0;
  lives.insert(lives.begin(), life);
  if (is_over) end_life(pid, life, end_ns);
  return lives.front();
}

const CodeMaps::Life* CodeMaps::life_at(u32 pid, u64 time_ns) const {
  const auto process = processes_.find(pid);
  if (process == processes_.end()) return nullptr;
  const auto& lives = process->second;
  const auto after =
      std::ranges::upper_bound(lives, time_ns, {}, [](const LifePtr& l) { return l->began_ns; });
  return after == lives.begin() ? nullptr : std::prev(after)->get();
}

void CodeMaps::on_map(u32 pid, const CodeMapping& mapping) {
  Life& life = *life_for(pid, mapping.time_ns);
  life.mapped.add(mapping);
  life.mapped.shrink(mapping_limit(), horizon_ns_);
  life.account();
}

void CodeMaps::add_snapshot(u32 pid, u64 time_ns, std::vector<CodeMapping> mappings) {
  Life& life = *life_for(pid, time_ns);
  if (const std::size_t limit = mapping_limit(); mappings.size() > limit) {
    // Files have names and tables; of other memory the lowest has to do.
    std::ranges::stable_partition(mappings, [](const auto& m) { return m.file != FileId{}; });
    mappings.resize(limit);
    mappings.shrink_to_fit();
  }
  std::ranges::sort(mappings, {}, &CodeMapping::start);
  life.snapshot = std::move(mappings);
  life.has_snapshot = true;
  life.account();
}

void CodeMaps::keep(u32 pid, u64 time_ns) {
  Life& life = *life_for(pid, time_ns);
  life.sampled_ns = std::max(life.sampled_ns, std::max<u64>(time_ns, 1));
}

void CodeMaps::sweep_files(const std::function<bool(FileId)>& is_needed) {
  std::unordered_set<FileId> mapped;
  std::unordered_set<const Life*> seen;
  for (const auto& [pid, lives] : processes_) {
    for (const LifePtr& own : lives) {
      for (const Life* life = own.get(); life != nullptr && seen.insert(life).second;
           life = life->parent.get()) {
        for (const CodeMapping& mapping : life->snapshot) mapped.insert(mapping.file);
        life->mapped.visit_files([&](FileId file) { mapped.insert(file); });
      }
    }
  }
  files_.keep_only([&](FileId id) { return mapped.contains(id) || is_needed(id); });
  sweep_at_ = std::max(kFewestFilesToSweep, 2 * files_.size());
}

bool CodeMaps::wants_snapshot(u32 pid, u64 time_ns) const {
  const Life* life = life_at(pid, time_ns);
  return life == nullptr || (!life->by_exec && !life->has_snapshot);
}

u64 CodeMaps::life_began(u32 pid, u64 time_ns) const {
  const Life* life = life_at(pid, time_ns);
  return life == nullptr ? 0 : life->began_ns;
}

bool CodeMaps::has_ended(u32 pid, u64 time_ns) const {
  const Life* life = life_at(pid, time_ns);
  return life == nullptr || life->ended_ns != 0;
}

std::vector<CodeMapping> CodeMaps::mappings(u32 pid, u64 time_ns) const {
  const Life* life = life_at(pid, time_ns);
  if (life == nullptr) return {};
  std::vector<CodeMapping> out = life->snapshot;
  const auto since = life->mapped.until(time_ns);
  out.insert(out.end(), since.begin(), since.end());
  return out;
}

void CodeMaps::collect(const Life& life, u64 time_ns, std::map<u64, CodeMapping>& out) {
  if (life.parent && !life.has_snapshot) collect(*life.parent, life.began_ns, out);
  for (const CodeMapping& mapping : life.snapshot) out.insert_or_assign(mapping.start, mapping);
  life.mapped.visit(time_ns, [&](const CodeMapping& piece) { put_over(out, piece); });
}

std::vector<CodeMapping> CodeMaps::current(u32 pid) const {
  const Life* life = life_at(pid, ~u64{0});
  if (life == nullptr) return {};
  std::map<u64, CodeMapping> mapped;
  collect(*life, ~u64{0}, mapped);
  std::vector<CodeMapping> out;
  out.reserve(mapped.size());
  for (const auto& [start, mapping] : mapped) out.push_back(mapping);
  return out;
}

bool CodeMaps::knows(u32 pid, u64 time_ns) const {
  for (const Life* life = life_at(pid, time_ns); life != nullptr; life = life->parent.get()) {
    if (!life->snapshot.empty()) return true;
    bool is_mapped = false;
    life->mapped.visit(time_ns, [&](const CodeMapping&) { is_mapped = true; });
    if (is_mapped) return true;
    time_ns = life->began_ns;
  }
  return false;
}

std::optional<Place> CodeMaps::find(u32 pid, u64 address, u64 time_ns) const {
  const CodeMapping* mapping = nullptr;
  for (const Life* life = life_at(pid, time_ns); life != nullptr && mapping == nullptr;
       life = life->has_snapshot ? nullptr : life->parent.get()) {
    // What was mapped over an address hides what was there.
    mapping = life->mapped.find(address, time_ns);
    if (mapping == nullptr) mapping = covering(life->snapshot, address);
    time_ns = life->began_ns;
  }
  if (mapping == nullptr) return std::nullopt;
  return Place{.file = mapping->file,
               .file_offset = address - mapping->start + mapping->file_offset,
               .map_start = mapping->start,
               .map_end = mapping->end,
               .map_offset = mapping->file_offset};
}

}  // namespace wick
