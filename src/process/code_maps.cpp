#include "process/code_maps.h"

#include <algorithm>

namespace wick {
namespace {

// A chain of forks without an exec; deeper ones are cut rather than followed for ever.
constexpr int kMaxForkDepth = 32;
// Ended processes that are remembered: their children may still live on their mappings.
constexpr std::size_t kMaxEnded = 4096;
// A process that maps code without end (a JIT gone wild) makes us keep no more than this.
constexpr std::size_t kMaxMappingsPerProcess = 16'384;
// Nor does a thousand of them: what a process may have once so many are known. Browsers have 200.
constexpr std::size_t kFewProcesses = 64;
constexpr std::size_t kMaxMappingsOfMany = 1024;
// Memory files can be mapped at 100,000 a second, each another file.
constexpr std::size_t kMaxFiles = 131'072;

const CodeMapping* covering(std::span<const CodeMapping> sorted, u64 address) {
  auto above = std::ranges::upper_bound(sorted, address, {}, &CodeMapping::start);
  if (above == sorted.begin()) return nullptr;
  const CodeMapping& below = *std::prev(above);
  return address < below.end ? &below : nullptr;
}

// How many mappings a process may have when so many are known.
std::size_t mapping_limit(std::size_t processes) {
  return processes <= kFewProcesses ? kMaxMappingsPerProcess : kMaxMappingsOfMany;
}

}  // namespace

CodeMaps::CodeMaps() {
  files_.emplace_back();
}

std::string CodeMaps::name_of(const CodeFile& file) {
  return std::to_string(file.dev_major) + ":" + std::to_string(file.dev_minor) + ":" +
         std::to_string(file.inode) + " " + file.path;
}

FileId CodeMaps::add_file(const CodeFile& file) {
  if (file.path.empty()) return FileId{};
  const std::string name = name_of(file);
  if (files_.size() >= kMaxFiles && !file_ids_.contains(name)) return FileId{};
  const auto [at, is_new] = file_ids_.try_emplace(name, FileId{files_.size()});
  if (is_new) {
    files_.push_back(file);
    return at->second;
  }
  u64& generation = files_[at->second.index()].generation;
  if (generation == 0) generation = file.generation;
  if (file.generation == 0 || file.generation == generation || files_.size() >= kMaxFiles)
    return at->second;
  // The old one was deleted, and its inode's number used again.
  at->second = FileId{files_.size()};
  files_.push_back(file);
  return at->second;
}

void CodeMaps::renew_file(FileId id) {
  const auto found = file_ids_.find(name_of(files_[id.index()]));
  if (found == file_ids_.end() || found->second != id || files_.size() >= kMaxFiles) return;
  found->second = FileId{files_.size()};
  files_.push_back(CodeFile{files_[id.index()]});
}

void CodeMaps::begin_life(u32 pid, Life life) {
  Process& process = processes_[pid];
  const auto at = std::ranges::upper_bound(process.lives, life.began_ns, {}, &Life::began_ns);
  process.lives.insert(at, std::move(life));
}

void CodeMaps::on_fork(u32 pid, u32 parent, u64 time_ns) {
  begin_life(pid, {.began_ns = time_ns, .parent = parent, .snapshot = {}});
}

void CodeMaps::on_exec(u32 pid, u64 time_ns) {
  begin_life(pid, {.began_ns = time_ns, .by_exec = true, .snapshot = {}});
}

void CodeMaps::on_exit(u32 pid, u64 time_ns) {
  ended_.push_back({pid, time_ns});
  if (ended_.size() <= kMaxEnded) return;
  const Ended oldest = ended_.front();
  ended_.pop_front();
  const auto found = processes_.find(oldest.pid);
  if (found == processes_.end() || found->second.kept) return;
  // The PID may be somebody else's by now.
  if (found->second.lives.back().began_ns <= oldest.time_ns) processes_.erase(found);
}

void CodeMaps::on_map(u32 pid, const CodeMapping& mapping) {
  Process& process = processes_[pid];
  // By quarters: one at a time would move all the others each time.
  if (const std::size_t limit = mapping_limit(processes_.size()); process.mappings.size() >= limit)
    process.mappings.erase(process.mappings.begin(),
                           process.mappings.end() - static_cast<std::ptrdiff_t>(limit * 3 / 4));
  // Rings of several CPUs may hand over a little out of order.
  const auto at =
      std::ranges::upper_bound(process.mappings, mapping.time_ns, {}, &CodeMapping::time_ns);
  process.mappings.insert(at, mapping);
}

std::size_t CodeMaps::life_at(const Process& process, u64 time_ns) {
  const auto after = std::ranges::upper_bound(process.lives, time_ns, {}, &Life::began_ns);
  return static_cast<std::size_t>(after - process.lives.begin()) - 1;
}

void CodeMaps::add_snapshot(u32 pid, u64 time_ns, std::vector<CodeMapping> mappings) {
  Process& process = processes_[pid];
  Life& life = process.lives[life_at(process, time_ns)];
  if (const std::size_t limit = mapping_limit(processes_.size()); mappings.size() > limit) {
    // Files have names and tables; of other memory the lowest has to do.
    std::ranges::stable_partition(mappings, [](const auto& m) { return m.file != FileId{}; });
    mappings.resize(limit);
    mappings.shrink_to_fit();
  }
  std::ranges::sort(mappings, {}, &CodeMapping::start);
  life.snapshot = std::move(mappings);
  life.has_snapshot = true;
}

bool CodeMaps::wants_snapshot(u32 pid, u64 time_ns) const {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return true;
  const Life& life = found->second.lives[life_at(found->second, time_ns)];
  return !life.by_exec && !life.has_snapshot;
}

u64 CodeMaps::life_began(u32 pid, u64 time_ns) const {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return 0;
  return found->second.lives[life_at(found->second, time_ns)].began_ns;
}

std::vector<CodeMapping> CodeMaps::mappings(u32 pid, u64 time_ns) const {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return {};
  const Process& process = found->second;
  const Life& life = process.lives[life_at(process, time_ns)];
  std::vector<CodeMapping> out = life.snapshot;
  for (const CodeMapping& mapping : process.mappings)
    if (mapping.time_ns >= life.began_ns && mapping.time_ns <= time_ns) out.push_back(mapping);
  return out;
}

// A new mapping takes the place of what it covers.
static void put_over(std::map<u64, CodeMapping>& mapped, const CodeMapping& added) {
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

void CodeMaps::collect_current(u32 pid, u64 time_ns, int depth,
                               std::map<u64, CodeMapping>& out) const {
  const auto found = processes_.find(pid);
  if (found == processes_.end() || depth > kMaxForkDepth) return;
  const Process& process = found->second;
  const Life& life = process.lives[life_at(process, time_ns)];
  if (life.parent != 0 && !life.has_snapshot)
    collect_current(life.parent, life.began_ns, depth + 1, out);
  for (const CodeMapping& mapping : life.snapshot) out.insert_or_assign(mapping.start, mapping);
  for (const CodeMapping& mapping : process.mappings)
    if (mapping.time_ns >= life.began_ns && mapping.time_ns <= time_ns) put_over(out, mapping);
}

std::vector<CodeMapping> CodeMaps::current(u32 pid) const {
  std::map<u64, CodeMapping> mapped;
  collect_current(pid, ~u64{0}, 0, mapped);
  std::vector<CodeMapping> out;
  out.reserve(mapped.size());
  for (const auto& [start, mapping] : mapped) out.push_back(mapping);
  return out;
}

bool CodeMaps::knows(u32 pid, u64 time_ns) const {
  for (int depth = 0; depth <= kMaxForkDepth; depth++) {
    const auto found = processes_.find(pid);
    if (found == processes_.end()) return false;
    const Life& life = found->second.lives[life_at(found->second, time_ns)];
    if (!mappings(pid, time_ns).empty()) return true;
    if (life.parent == 0) return false;
    pid = life.parent;
    time_ns = life.began_ns;
  }
  return false;
}

const CodeMapping* CodeMaps::find_mapping(u32 pid, u64 address, u64 time_ns, int depth) const {
  const auto found = processes_.find(pid);
  if (found == processes_.end() || depth > kMaxForkDepth) return nullptr;
  const Process& process = found->second;
  const Life& life = process.lives[life_at(process, time_ns)];
  // Latest first: what was mapped over an address hides what was there.
  const auto end = std::ranges::upper_bound(process.mappings, time_ns, {}, &CodeMapping::time_ns);
  for (auto at = end; at != process.mappings.begin();) {
    --at;
    if (at->time_ns < life.began_ns) break;
    if (address >= at->start && address < at->end) return &*at;
  }
  if (const CodeMapping* mapping = covering(life.snapshot, address)) return mapping;
  if (life.parent == 0 || life.has_snapshot) return nullptr;
  return find_mapping(life.parent, address, life.began_ns, depth + 1);
}

std::optional<Place> CodeMaps::find(u32 pid, u64 address, u64 time_ns) const {
  const CodeMapping* mapping = find_mapping(pid, address, time_ns, 0);
  if (mapping == nullptr) return std::nullopt;
  return Place{.file = mapping->file,
               .file_offset = address - mapping->start + mapping->file_offset,
               .map_start = mapping->start,
               .map_end = mapping->end,
               .map_offset = mapping->file_offset};
}

}  // namespace wick
