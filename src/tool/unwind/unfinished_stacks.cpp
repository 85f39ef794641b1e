#include "tool/unwind/unfinished_stacks.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "proc/memory_room.h"

namespace wick {
namespace {

// Most stacks have some KB, and a CPU takes a hundred a second at the usual rate; but all threads
// of a machine that are seen for the first time come at once.
constexpr u64 kRawBytesPerCpu = u64{2} << 20;
constexpr u64 kLeastRawBytes = u64{8} << 20;
constexpr u64 kMostRawBytes = u64{32} << 20;
constexpr u64 kMinRawBytes = u64{256} << 10;  // where a cgroup leaves little memory
constexpr std::size_t kPieceHead = offsetof(wick_raw_piece, stack);

int on_raw_piece(void* self, void* data, size_t size) {
  wick_raw_piece piece;
  if (size < kPieceHead) return 0;
  std::memcpy(&piece, data, kPieceHead);
  if (piece.words > WICK_RAW_WORDS || kPieceHead + piece.words * sizeof(u64) > size) return 0;
  std::memcpy(static_cast<void*>(piece.stack), static_cast<const std::byte*>(data) + kPieceHead,
              piece.words * sizeof(u64));
  static_cast<UnfinishedStacks*>(self)->take(piece);
  return 0;
}

}  // namespace

u32 UnfinishedStacks::ring_bytes(std::size_t cpus) {
  u64 bytes = std::bit_ceil(std::clamp(cpus * kRawBytesPerCpu, kLeastRawBytes, kMostRawBytes));
  if (const auto room = own_memory_room())
    bytes = std::clamp(std::bit_floor(room->left() / 16), kMinRawBytes, bytes);
  return static_cast<u32>(bytes);
}

Status UnfinishedStacks::start(const bpf_map* ring) {
  ring_.reset(ring_buffer__new(bpf_map__fd(ring), on_raw_piece, this, nullptr));
  if (!ring_) return fail_errno("map the BPF ring buffer of stacks");
  if (const auto room = own_memory_room())
    most_words_ = std::min<std::size_t>(most_words_, room->left() / 8 / sizeof(u64));
  return {};
}

Status UnfinishedStacks::consume() {
  if (const int code = ring_buffer__consume(ring_.get()); code < 0)
    return fail_errno("read the BPF ring buffer of stacks", -code);
  return {};
}

void UnfinishedStacks::take(const wick_raw_piece& piece) {
  if (words_ + piece.words > most_words_) {
    dropped_++;
    return;
  }
  UnfinishedStack& stack = stacks_[piece.key];
  if (piece.at == piece.sp && stack.words.empty())
    stack = {
        .time_ns = piece.time_ns,
        .registers = {.ip = piece.ip, .sp = piece.sp, .bp = piece.bp, .exact = piece.exact != 0},
        .words = {}};
  // A piece may be missing, or the stack have been sent twice.
  if (piece.at != stack.registers.sp + stack.words.size() * sizeof(u64)) return;
  const u64* words = reinterpret_cast<const u64*>(piece.stack);
  stack.words.insert(stack.words.end(), words, words + piece.words);
  words_ += piece.words;
}

void UnfinishedStacks::finish(
    const std::function<bool(const wick_stack_key&, UnfinishedStack&)>& is_done) {
  for (auto at = stacks_.begin(); at != stacks_.end();) {
    if (!is_done(at->first, at->second)) {
      ++at;
      continue;
    }
    words_ -= at->second.words.size();
    at = stacks_.erase(at);
  }
}

}  // namespace wick
