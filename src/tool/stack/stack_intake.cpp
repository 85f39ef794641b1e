#include "tool/stack/stack_intake.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "runtime/runtime_watch.h"

namespace wick {
namespace {

// Of walks that were finished here, for later windows: the kernel sends a stack once, and tells its
// key as often as the maps are flipped.
constexpr std::size_t kMostWalkBytes = std::size_t{16} << 20;

constexpr std::size_t kRecordHead = offsetof(wick_stack_record, frames);

// All but the leaf are return addresses: the call is before them, and may be its function's last
// instruction.
void point_at_calls(std::span<u64> leaf_first) {
  for (std::size_t i = 1; i < leaf_first.size(); i++)
    if (!RuntimeWatch::is_frame(leaf_first[i])) leaf_first[i]--;
}

bool lacked_something(const wick_stack_record& record) {
  return record.stop != WICK_STOP_ROOT || record.by_pointer != 0;
}

// Both are made of numbers of 64 bits alone.
using TotalWords = std::array<u64, sizeof(wick_stack_totals) / sizeof(u64)>;
TotalWords words_of(const wick_stack_totals& totals) {
  TotalWords out;
  static_assert(sizeof(out) == sizeof(totals));
  std::memcpy(out.data(), &totals, sizeof(totals));
  return out;
}

wick_stack_totals difference(const wick_stack_totals& now, const wick_stack_totals& before) {
  TotalWords words = words_of(now);
  const TotalWords less = words_of(before);
  for (std::size_t i = 0; i < words.size(); i++) words[i] -= less[i];
  wick_stack_totals out;
  std::memcpy(&out, words.data(), sizeof(out));
  return out;
}

void add_runtime(wick_runtime_totals& sum, const wick_runtime_totals& more) {
  sum.frames += more.frames;
  for (std::size_t i = 0; i < std::size(sum.losses); i++) sum.losses[i] += more.losses[i];
}

template <class Record>
bool read_record(std::span<const std::byte> bytes, Record& out) {
  if (bytes.size() != sizeof(out)) return false;
  std::memcpy(&out, bytes.data(), sizeof(out));
  return true;
}

// Only as long as its frames.
bool read_stack(std::span<const std::byte> bytes, wick_stack_record& out) {
  if (bytes.size() < kRecordHead || bytes.size() > sizeof(out)) return false;
  std::memcpy(&out, bytes.data(), bytes.size());
  const std::size_t frames = (bytes.size() - kRecordHead) / sizeof(u64);
  return std::size_t{out.kernel_depth} + out.user_depth <= frames;
}

}  // namespace

void StackIntake::record(std::span<const std::byte> bytes) {
  u32 type = 0;
  if (bytes.size() < sizeof(type)) return;
  std::memcpy(&type, bytes.data(), sizeof(type));
  if (type == WICK_RECORD_STACK) {
    wick_stack_record stack;
    if (read_stack(bytes, stack)) take_stack(stack);
  } else if (type == WICK_RECORD_PAIR) {
    wick_pair_record pair;
    if (read_record(bytes, pair)) take_pair(pair);
  } else if (type == WICK_RECORD_MENDED) {
    wick_mended_record mended;
    if (read_record(bytes, mended)) take_mended(mended);
  } else if (type == WICK_RECORD_RAW_PIECE) {
    raw_.take(bytes);
  } else if (type == WICK_RECORD_TIMES && options_.times) {
    wick_time_chunk chunk;
    if (read_record(bytes, chunk)) times_.take(chunk, window_);
  }
}

// A key names a PID and an address space; in a long run both can come round, and then mean somebody
// else.
bool StackIntake::is_of(const StackEntry& entry, const wick_stack_record& record) const {
  const ImageInfo& image = owners_.info(entry.image);
  return image.start_ns == record.start_ns && image.exec_id == record.exec_id;
}

u32 StackIntake::find_entry(const wick_stack_key& key) {
  const u32 index = window_.index_of(key);
  return index != StackEntry::kNoEntry || !options_.by_key ? index : recall(key);
}

u32 StackIntake::recall(const wick_stack_key& key) {
  const KnownStack* known = known_.find(key);
  if (known == nullptr) return StackEntry::kNoEntry;
  return known->entry.target == StackEntry::kNoEntry ? recall_stack(key, *known)
                                                     : recall_pair(key, *known);
}

// A part of a pair is none itself.
u32 StackIntake::recall_pair(const wick_stack_key& key, const KnownStack& pair) {
  const auto part = [&](const wick_stack_key& of) {
    const KnownStack* known = known_.find(of);
    const u32 index = window_.index_of(of);
    if (index != StackEntry::kNoEntry || known == nullptr) return index;
    return known->entry.target == StackEntry::kNoEntry ? recall_stack(of, *known) : index;
  };
  const u32 target = part(pair.target);
  const u32 waker = part(pair.waker);
  if (target == StackEntry::kNoEntry || waker == StackEntry::kNoEntry) return StackEntry::kNoEntry;
  return window_.add(key, {.target = target, .waker = waker});
}

u32 StackIntake::recall_stack(const wick_stack_key& key, const KnownStack& stack) {
  // Nobody could say any more what its addresses were.
  if (!stack.user.empty() && owners_.info(stack.entry.image).pid == 0) return StackEntry::kNoEntry;
  for (const u64 address : stack.user)
    if (!RuntimeWatch::is_frame(address)) owners_.touch(stack.entry.image, address, stack.time_ns);
  return window_.add(key, stack.entry_in(window_));
}

// Without both of them it is not kept: what is counted under its key is then told as lost.
void StackIntake::take_pair(const wick_pair_record& record) {
  const u32 target = find_entry(record.target);
  const u32 waker = find_entry(record.waker);
  if (target == StackEntry::kNoEntry || waker == StackEntry::kNoEntry) return;
  if (window_.index_of(record.key) == StackEntry::kNoEntry)
    window_.add(record.key, {.target = target, .waker = waker});
}

void StackIntake::take_mended(const wick_mended_record& record) {
  const u32 kernel = find_entry(record.kernel);
  const u32 user = find_entry(record.user);
  if (kernel == StackEntry::kNoEntry || user == StackEntry::kNoEntry) return;
  StackEntry whole = window_.entry(user);
  whole.kernel_leaf = window_.entry(kernel).kernel_leaf;
  whole.missed |= window_.entry(kernel).missed;
  whole.tag = record.tag;
  whole.value = whole.count = 0;
  if (window_.index_of(record.key) == StackEntry::kNoEntry) window_.add(record.key, whole);
}

void StackIntake::take_stack(wick_stack_record& record) {
  window_.note_sample(record.time_ns);
  const u32 known = window_.index_of(record.key);
  if (known != StackEntry::kNoEntry && is_of(window_.entry(known), record)) return;

  u64* frames = reinterpret_cast<u64*>(record.frames);
  const std::span kernel{frames, record.kernel_depth};
  const std::span user{frames + record.kernel_depth, record.user_depth};
  for (std::size_t i = 1; i < kernel.size(); i++) kernel[i]--;
  // What a frame pointer led to may be any number, and shall not pass for an interpreted frame.
  if (record.runtime == 0 || !options_.by_tables)
    for (u64& address : user) address &= ~WICK_RUNTIME_FRAME;
  point_at_calls(user);

  if (options_.by_tables && record.stop == WICK_STOP_NO_PROCESS)
    owners_.walk_found_no_list(record.tgid);
  if (lacked_something(record)) unfinished_++;
  Sighting sighting = record.in_kernel != 0 ? Sighting::in_kernel : Sighting::in_user;
  if (user.empty()) sighting = Sighting::no_code;
  const ImageId image = owners_.image({.pid = record.tgid,
                                       .start_ns = record.start_ns,
                                       .exec_id = record.exec_id,
                                       .seen_ns = record.time_ns},
                                      sighting);
  if (options_.by_tables) owners_.name_frames(image, record.tgid, record.runtime, user);
  const u32 index = window_.add(
      record.key, {.image = image,
                   .tid = record.tid,
                   .comm = window_.add_comm(fixed_text(record.comm, sizeof(record.comm))),
                   .kernel_leaf = window_.add_kernel(kernel),
                   .user_leaf = window_.add_user(image, user, record.time_ns),
                   .missed = record.missed,
                   .stop = record.stop,
                   .by_tables = options_.by_tables && record.by_pointer == 0,
                   .tag = record.tag});
  for (const u64 address : user)
    if (!RuntimeWatch::is_frame(address)) owners_.touch(image, address, record.time_ns);
  if (options_.by_tables && !user.empty() && lacked_something(record))
    note_lacking(record, image, index);
}

void StackIntake::count(const wick_stack_key& key, const wick_stack_value& value) {
  const u64 count = options_.weighted ? value.count : value.value;
  // Announced, and nothing happened yet.
  if (value.value == 0 && count == 0) return;
  const u32 index = find_entry(key);
  if (index == StackEntry::kNoEntry) {
    window_.totals().unknown_stacks += count;
    return;
  }
  if (options_.times) times_.name(value.index, index);
  window_.entry(index).value += value.value;
  window_.entry(index).count += count;
}

void StackIntake::end_of_set(u32 set) {
  if (options_.times) times_.end_of_set(set, window_);
}

void StackIntake::totals(const wick_stack_totals& now) {
  const wick_stack_totals added = difference(now, std::exchange(before_, now));
  StackTotals& totals = window_.totals();
  totals.samples += added.samples;
  for (std::size_t i = 0; i < totals.losses.size(); i++) totals.losses[i] += added.losses[i];
  totals.table_frames += added.table_frames;
  totals.pointer_frames += added.pointer_frames;
  totals.raw_lost += added.raw_lost;
  for (std::size_t i = 0; i < totals.runtimes.size(); i++)
    add_runtime(totals.runtimes[i], added.runtimes[i]);
}

void StackIntake::finish_walks(bool last) {
  raw_.finish([&](const wick_stack_key& key, UnfinishedStack& stack) {
    return finish_walk(key, stack, last);
  });
}

bool StackIntake::finish_walk(const wick_stack_key& key, UnfinishedStack& stack, bool last) {
  // What waits for a table is walked again when there is another one.
  if (!last && stack.tried == owners_.tables_taken()) return false;
  const auto found = walks_.find(key);
  if (found == walks_.end()) return last;  // its record is on its way
  Walk& waiting = found->second;
  if (waiting.finished) return true;  // was sent twice
  StackWalk walk = walk_stack(
      stack.registers, {.base = stack.registers.sp, .words = stack.words},
      [&](u64 pc) { return owners_.find_row(waiting.image, pc, stack.time_ns); }, options_.walk);
  stack.tried = owners_.tables_taken();
  if (walk.waiting && !last) return false;
  // Nothing was learned: then it is as the kernel saw it.
  if (walk.stop != WICK_STOP_ROOT && walk.by_table == 0) return true;
  window_.totals().table_frames += walk.by_table;
  window_.totals().pointer_frames += walk.by_pointer;
  for (u64& address : walk.frames) address &= ~WICK_RUNTIME_FRAME;
  point_at_calls(walk.frames);
  waiting.finished = true;
  waiting.frames = std::move(walk.frames);
  waiting.time_ns = stack.time_ns;
  waiting.stop = walk.stop;
  waiting.by_tables = walk.by_pointer == 0;
  for (const u32 index : waiting.entries) apply(waiting, window_.entry(index));
  // In this window the leaf is enough.
  if (walk_bytes_ + waiting.frames.size() * sizeof(u64) > kMostWalkBytes)
    waiting.frames = {};
  else
    walk_bytes_ += waiting.frames.size() * sizeof(u64);
  return true;
}

void StackIntake::apply(Walk& walk, StackEntry& entry) {
  if (walk.user_leaf == StackTree::kRoot) {
    walk.user_leaf = window_.add_user(walk.image, walk.frames, walk.time_ns);
    for (const u64 address : walk.frames) owners_.touch(walk.image, address, walk.time_ns);
  }
  walk.used = windows_;
  entry.user_leaf = walk.user_leaf;
  entry.stop = walk.stop;
  entry.by_tables = walk.by_tables;
}

// An entry whose walk lacked something: takes what was found of it since.
void StackIntake::note_lacking(const wick_stack_record& record, ImageId image, u32 index) {
  Walk& walk =
      walks_[{.task = wick_untagged(record.key.task, record.tag), .stack = record.key.stack}];
  if (walk.image != image) {
    walk_bytes_ -= walk.frames.size() * sizeof(u64);
    walk = {.image = image};
  }
  walk.entries.push_back(index);
  if (walk.finished) apply(walk, window_.entry(index));
}

// From what is shown, so that a stack is told to have reached its root if it is seen to.
void StackIntake::count_stops() {
  if (!options_.by_tables) return;
  for (const StackEntry& entry : window_.entries()) {
    const StackEntry& stack =
        entry.target == StackEntry::kNoEntry ? entry : window_.entries()[entry.target];
    if (stack.user_leaf != StackTree::kRoot)
      window_.totals().stops[std::min<std::size_t>(stack.stop, WICK_STOPS - 1)] += entry.count;
  }
}

void StackIntake::close() {
  window_.totals().raw_lost += raw_.dropped() - std::exchange(raw_dropped_, raw_.dropped());
  count_stops();
}

StackWindow StackIntake::take() {
  // A second window is not waited for: by now its table would be there.
  raw_.finish([&](const wick_stack_key& key, UnfinishedStack& stack) {
    return stack.windows++ != 0 && finish_walk(key, stack, true);
  });
  const std::vector<Waiting> waiting = take_waiting();
  close();
  StackWindow out = std::exchange(window_, {});
  windows_++;
  if (options_.by_key) known_.keep(out);
  forget_walks();
  for (const Waiting& stack : waiting) go_on_waiting(stack);
  return out;
}

// Their samples go with them: a stack is shown once, and whole.
std::vector<StackIntake::Waiting> StackIntake::take_waiting() {
  std::vector<Waiting> out;
  raw_.finish([&](const wick_stack_key& walk_key, UnfinishedStack& /*stack*/) {
    const auto found = walks_.find(walk_key);
    if (found == walks_.end() || found->second.finished) return false;
    for (const u32 index : found->second.entries) {
      StackEntry& entry = window_.entry(index);
      const wick_stack_key key{.task = wick_untagged(walk_key.task, entry.tag),
                               .stack = walk_key.stack};
      if (entry.value == 0 || window_.index_of(key) != index) continue;
      out.push_back({.walk = walk_key, .key = key, .stack = KnownStack::of(window_, entry)});
      window_.totals().samples -= std::min(window_.totals().samples, entry.count);
      entry.value = entry.count = 0;
    }
    return false;
  });
  return out;
}

void StackIntake::go_on_waiting(const Waiting& waiting) {
  const u32 index = window_.add(waiting.key, waiting.stack.entry_in(window_));
  walks_[waiting.walk].entries.push_back(index);
  window_.totals().samples += waiting.stack.entry.count;
}

// Of a window that was taken. What was finished serves again, as long as there is room.
void StackIntake::forget_walks() {
  const bool is_tight = walk_bytes_ > kMostWalkBytes / 2;
  std::unordered_set<wick_stack_key, StackKeyHash, StackKeyEqual> pending;
  raw_.finish([&](const wick_stack_key& key, UnfinishedStack& /*stack*/) {
    pending.insert(key);
    return false;
  });
  for (auto at = walks_.begin(); at != walks_.end();) {
    Walk& walk = at->second;
    walk.entries.clear();
    walk.user_leaf = StackTree::kRoot;
    const bool is_idle = is_tight && walk.used != windows_ - 1;
    const bool is_kept =
        walk.finished ? !walk.frames.empty() && !is_idle : pending.contains(at->first);
    if (!is_kept) walk_bytes_ -= walk.frames.size() * sizeof(u64);
    at = is_kept ? std::next(at) : walks_.erase(at);
  }
}

std::size_t StackIntake::carried_bytes() const {
  return walk_bytes_ + known_.bytes() + raw_.bytes();
}

}  // namespace wick
