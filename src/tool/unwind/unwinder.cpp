#include "tool/unwind/unwinder.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "base/clock.h"
#include "base/text.h"
#include "proc/machine.h"
#include "tool/unwind/unfinished_stacks.h"

namespace wick {
namespace {

constexpr u32 kListEntries = 65536;  // of all processes together: 3 MB

// A walk that began with a list ends within microseconds, unless the machine under it stands still.
// Not longer: thousands of programs may start in a second, and each has a list for a moment.
constexpr u64 kListQuarantineNs = 250'000'000;

constexpr std::size_t kFewestTablesToSweep = 4096;

constexpr std::size_t list_bytes() {
  return kListEntries * sizeof(wick_unwind_mapping);
}

// Lists come in sizes of powers of two, so that what one process gives back serves the next.
u32 rounded(std::size_t count) {
  return std::max<u32>(8, std::bit_ceil(static_cast<u32>(count)));
}

}  // namespace

Status Unwinder::set_up(const UnwindMaps& maps, const UnwindBuilder& builder) {
  bpf_map__set_max_entries(maps.mappings, kListEntries);
  bpf_map__set_max_entries(maps.raw_stacks,
                           UnfinishedStacks::ring_bytes(TRY(online_cpus()).size()));
  if (const int code = bpf_map__reuse_fd(maps.segments, builder.memory().map_fd()); code != 0)
    return fail_errno("use a BPF map", -code);
  return {};
}

Result<std::unique_ptr<Unwinder>> Unwinder::create(const UnwindMaps& maps,
                                                   std::unique_ptr<UnwindBuilder> builder) {
  void* lists = ::mmap(nullptr, list_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED,
                       bpf_map__fd(maps.mappings), 0);
  if (lists == MAP_FAILED) return fail_errno("map the BPF array of mappings");
  return std::unique_ptr<Unwinder>{
      new Unwinder(maps, static_cast<wick_unwind_mapping*>(lists), std::move(builder))};
}

Unwinder::Unwinder(const UnwindMaps& maps, wick_unwind_mapping* lists,
                   std::unique_ptr<UnwindBuilder> builder)
    : processes_fd_(bpf_map__fd(maps.processes)),
      lists_(lists),
      builder_(std::move(builder)),
      runtimes_([fd = bpf_map__fd(maps.runtimes)](u32 number, const wick_runtime& runtime) {
        return bpf_map_update_elem(fd, &number, &runtime, BPF_ANY) == 0;
      }) {}

Unwinder::~Unwinder() {
  ::munmap(lists_, list_bytes());
}

void Unwinder::update(ProcessWatch& processes) {
  for (const u32 pid : processes.take_ended()) forget(pid);
  std::vector<u32> changed = processes.take_changed();
  take_built(changed);
  if (!homeless_.empty() || evictions_ != 0) make_room(changed);
  std::ranges::sort(changed);
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (const u32 pid : changed) install(processes, pid);
  tell_again();
  if (tables_.size() > sweep_at_) sweep(processes);
}

// Files come and go without end. Those whose tables are in the kernel stay until they are evicted.
void Unwinder::sweep(const ProcessWatch& processes) {
  std::erase_if(tables_, [&](const auto& known) {
    const auto& [key, table] = known;
    return table.state != TableState::ready && table.state != TableState::waiting &&
           !processes.has_file(FileId{key});
  });
  sweep_at_ = std::max(kFewestTablesToSweep, 2 * tables_.size());
}

void Unwinder::tell_again() {
  for (const u32 pid : std::exchange(missed_, {}))
    if (const auto known = known_.find(pid); known != known_.end())
      bpf_map_update_elem(processes_fd_, &pid, &known->second.told, BPF_NOEXIST);
}

void Unwinder::settle(ProcessWatch& processes, int milliseconds) {
  const u64 until = monotonic_ns() + static_cast<u64>(milliseconds) * 1'000'000;
  update(processes);
  for (u64 now = monotonic_ns(); !waiting_.empty() && now < until; now = monotonic_ns()) {
    pollfd polled{.fd = builder_->done_fd(), .events = POLLIN, .revents = 0};
    ::poll(&polled, 1, static_cast<int>((until - now) / 1'000'000) + 1);
    update(processes);
  }
}

void Unwinder::take_built(std::vector<u32>& changed) {
  const u64 now = monotonic_ns();
  for (BuiltTable& built : builder_->take_done()) {
    FileTable& table = built.table;
    tables_taken_++;
    if (table.state == TableState::ready && !built.shared) usage_.loaded(table.place, now);
    if (built.key == UnwindBuilder::kEarly) {
      early_[built.file] = std::move(table);
      continue;
    }
    if (table.state == TableState::ready && built.shared && !usage_.is_loaded(table.place))
      table.state = TableState::evicted;  // between two thoughts
    if (table.state == TableState::no_room && table.words <= builder_->memory().limit_words())
      homeless_.insert(built.key);
    else
      homeless_.erase(built.key);
    tables_[built.key] = std::move(table);
    const auto waiting = waiting_.extract(built.key);
    if (!waiting.empty())
      changed.insert(changed.end(), waiting.mapped().begin(), waiting.mapped().end());
  }
}

void Unwinder::make_room(std::vector<u32>& changed) {
  const u64 now = monotonic_ns();
  if (now < next_sweep_ns_) return;
  next_sweep_ns_ = now + kUnwindQuarantineNs;
  note_usage(now, changed);
  // What was freed a sweep ago can be used now.
  for (const u32 key : std::exchange(hopeful_, {})) want(key, changed);
  for (auto key = homeless_.begin(); key != homeless_.end();) {
    const auto idle = usage_.take_idle(tables_[*key].words, now);
    evict(idle);
    if (!idle.empty()) hopeful_.push_back(*key);
    key = idle.empty() ? std::next(key) : homeless_.erase(key);
  }
}

// Asks for the table again, by installing the lists that lack it.
void Unwinder::want(u32 key, std::vector<u32>& changed) {
  FileTable& table = tables_[key];
  table.state = TableState::evicted;
  table.wanted = true;
  for (const auto& [pid, process] : known_)
    if (std::ranges::find(process.files, key) != process.files.end()) changed.push_back(pid);
}

// A walk that came by leaves a mark on the mapping.
void Unwinder::note_usage(u64 now_ns, std::vector<u32>& changed) {
  std::unordered_set<u32> missed;
  for (const auto& [pid, process] : known_) {
    for (u32 i = 0; i < process.list.count; i++) {
      wick_unwind_mapping& entry = lists_[process.list.first + i];
      if (std::atomic_ref(entry.used).exchange(0) == 0) continue;
      const FileTable& table = tables_[process.files[i]];
      if (table.state == TableState::ready) usage_.used(table.place, now_ns);
      if (table.state == TableState::evicted) missed.insert(process.files[i]);
    }
  }
  for (const u32 key : missed) want(key, changed);
}

void Unwinder::evict(std::span<const TablePlace> places) {
  for (const TablePlace& place : places) {
    evictions_++;
    for (auto& [key, table] : tables_) {
      if (table.state != TableState::ready || table.place.segment != place.segment ||
          table.place.rows != place.rows)
        continue;
      builder_->forget(table.build_id);
      table.state = TableState::evicted;
      hide(key);
    }
    builder_->memory().release(place);
  }
}

// No walk that begins now finds this file's table.
void Unwinder::hide(u32 key) {
  for (const auto& [pid, process] : known_)
    for (u32 i = 0; i < process.list.count; i++)
      if (process.files[i] == key)
        std::atomic_ref(lists_[process.list.first + i].segment).store(WICK_UNWIND_NO_TABLE);
}

void Unwinder::install(ProcessWatch& processes, u32 pid) {
  std::vector<wick_unwind_mapping> list;
  std::vector<u32> files;
  for (const CodeMapping& mapping : processes.current_mappings(pid)) {
    if (mapping.file == FileId{}) continue;
    if (list.size() == WICK_UNWIND_MAX_MAPPINGS) break;
    list.push_back(entry_of(processes, pid, mapping));
    files.push_back(mapping.file.value());
  }
  if (list.empty()) return;
  const auto first = allocate(static_cast<u32>(list.size()));
  if (!first) {
    no_room_++;
    return;
  }
  std::ranges::copy(list, lists_ + *first);
  const wick_unwind_process value{.first = *first,
                                  .count = static_cast<u32>(list.size()),
                                  .list = ++lists_made_,
                                  .runtime = runtime_of(processes, pid)};
  if (bpf_map_update_elem(processes_fd_, &pid, &value, BPF_ANY) != 0) no_room_++;
  Process& process = known_[pid];
  if (process.list.count != 0) release(process.list);
  runtimes_.release(process.told.runtime);
  process = {.list = {*first, value.count, 0}, .files = std::move(files), .told = value};
}

// The interpreter a process has in memory, if there is one and its file was looked at.
u32 Unwinder::runtime_of(ProcessWatch& processes, u32 pid) {
  const std::vector<CodeMapping> mappings = processes.current_mappings(pid);
  for (const CodeMapping& mapping : mappings) {
    const auto table = tables_.find(mapping.file.value());
    if (table == tables_.end() || !table->second.runtime) continue;
    const auto vaddr = table->second.vaddr_of(mapping.file_offset);
    if (!vaddr) continue;
    // musl keeps a thread's values elsewhere.
    const bool musl = std::ranges::any_of(mappings, [&](const CodeMapping& other) {
      return processes.file(other.file).path.contains("/ld-musl-");
    });
    return runtimes_.acquire(table->second.runtime,
                             {.bias = mapping.start - *vaddr, .has_glibc = !musl});
  }
  return 0;
}

wick_unwind_mapping Unwinder::entry_of(ProcessWatch& processes, u32 pid,
                                       const CodeMapping& mapping) {
  wick_unwind_mapping entry{
      .start = mapping.start, .end = mapping.end, .segment = WICK_UNWIND_NO_TABLE};
  const FileTable& table = table_of(processes, pid, mapping);
  if (table.state == TableState::waiting) {
    waiting_[mapping.file.value()].push_back(pid);
    entry.segment = WICK_UNWIND_WAITING;
  }
  if (table.state == TableState::by_pointer) entry.segment = WICK_UNWIND_BY_POINTER;
  if (table.state != TableState::ready) return entry;
  const auto vaddr = table.vaddr_of(mapping.file_offset);
  if (!vaddr) return entry;
  entry.segment = table.place.segment;
  entry.rows = table.place.rows;
  entry.pages = table.place.pages;
  entry.delta = static_cast<u32>(*vaddr - table.base);
  entry.span = static_cast<u32>(table.limit - table.base);
  return entry;
}

RowAnswer Unwinder::find_row(ProcessWatch& processes, ImageId image, u64 pc, u64 time_ns) {
  using Kind = RowAnswer::Kind;
  const auto place = processes.find(image, pc, time_ns);
  if (!place || place->file == FileId{}) return {.kind = Kind::no_file};
  const CodeMapping mapping{.start = place->map_start,
                            .end = place->map_end,
                            .file_offset = place->map_offset,
                            .file = place->file,
                            .time_ns = time_ns};
  const FileTable& table = table_of(processes, processes.info(image).pid, mapping);
  if (table.state == TableState::waiting) {
    waiting_.try_emplace(place->file.value());
    return {.kind = Kind::waiting};
  }
  if (table.state == TableState::by_pointer) return {.kind = Kind::by_pointer};
  const auto vaddr = table.vaddr_of(mapping.file_offset);
  if (table.state != TableState::ready || !vaddr) return {.kind = Kind::no_table};
  const u64 from_base = pc - mapping.start + *vaddr - table.base;
  if (from_base >= table.limit - table.base) return {.kind = Kind::gap};
  const auto row = builder_->memory().find_row(table.place, static_cast<u32>(from_base));
  return row ? RowAnswer{.kind = Kind::row, .row = *row} : RowAnswer{.kind = Kind::no_table};
}

// There, and not given up since.
bool Unwinder::is_usable(const FileTable& table) const {
  return table.state == TableState::ready ? usage_.is_loaded(table.place)
                                          : table.state != TableState::no_room;
}

FileTable& Unwinder::table_of(ProcessWatch& processes, u32 pid, const CodeMapping& mapping) {
  const u32 key = mapping.file.value();
  const auto [known, is_new] = tables_.try_emplace(key);
  FileTable& table = known->second;
  // Given up: a walk missed it, or a new process may.
  const bool again = table.state == TableState::evicted && (table.wanted || !known_.contains(pid));
  if (!is_new && !again) return table;
  table.state = TableState::waiting;
  table.wanted = false;
  if (processes.file(mapping.file).path == "[vdso]") {
    builder_->request_vdso(key);
  } else if (auto fd = processes.open_copy(pid, mapping)) {
    const auto early = early_.find(identity_of(*fd));
    if (is_new && early != early_.end() && is_usable(early->second))
      table = early->second;
    else
      builder_->request(key, std::move(*fd));
  } else {
    // The next process with this file may be luckier.
    static FileTable unreadable{.state = TableState::none};
    tables_.erase(known);
    return unreadable;
  }
  return table;
}

void Unwinder::forget(u32 pid) {
  const auto found = known_.find(pid);
  if (found == known_.end()) return;
  bpf_map_delete_elem(processes_fd_, &pid);
  release(found->second.list);
  runtimes_.release(found->second.told.runtime);
  known_.erase(found);
}

std::string Unwinder::stats_text(u64 table_frames, u64 pointer_frames) const {
  const BuilderStats built = builder_->stats();
  return fmt::format(
      "{} frames by tables, {} by frame pointers; {} of {} rows built in {:.1f} ms on a thread of "
      "their own; {:.1f} MB in the kernel{}",
      with_commas(table_frames), with_commas(pointer_frames), counted(built.tables, "table"),
      with_commas(built.rows), static_cast<double>(built.cpu_ns) / 1e6,
      static_cast<double>(builder_->memory().bytes() + list_bytes()) / 1048576,
      built.no_room + no_room_ + evictions_ == 0
          ? ""
          : fmt::format(
                "; no room {} for a table, {} for a list of mappings, {} given up for others",
                counted(built.no_room, "time"), counted(no_room_, "time"),
                counted(evictions_, "table")));
}

std::optional<u32> Unwinder::allocate(u32 count) {
  const u32 size = rounded(count);
  auto& free = free_[size];
  if (!free.empty() && free.front().usable_ns <= monotonic_ns()) {
    const u32 first = free.front().first;
    free.pop_front();
    return first;
  }
  if (next_free_ + size > kListEntries) return std::nullopt;
  return std::exchange(next_free_, next_free_ + size);
}

void Unwinder::release(const Range& range) {
  free_[rounded(range.count)].push_back(
      {range.first, range.count, monotonic_ns() + kListQuarantineNs});
}

}  // namespace wick
