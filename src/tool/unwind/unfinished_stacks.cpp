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

}  // namespace

u32 UnfinishedStacks::ring_bytes(std::size_t cpus) {
  u64 bytes = std::bit_ceil(std::clamp(cpus * kRawBytesPerCpu, kLeastRawBytes, kMostRawBytes));
  if (const auto room = own_memory_room())
    bytes = std::clamp(std::bit_floor(room->left() / 16), kMinRawBytes, bytes);
  return static_cast<u32>(bytes);
}

void UnfinishedStacks::fit_memory() {
  if (const auto room = own_memory_room())
    most_words_ = std::min<std::size_t>(most_words_, room->left() / 8 / sizeof(u64));
}

void UnfinishedStacks::take(std::span<const std::byte> bytes) {
  wick_raw_piece piece;
  if (bytes.size() < kPieceHead) return;
  std::memcpy(&piece, bytes.data(), kPieceHead);
  if (piece.words > WICK_RAW_WORDS || kPieceHead + piece.words * sizeof(u64) > bytes.size()) return;
  std::memcpy(static_cast<void*>(piece.stack), bytes.data() + kPieceHead,
              piece.words * sizeof(u64));
  take(piece);
}

void UnfinishedStacks::take(const wick_raw_piece& piece) {
  if (piece.words == 0 || (piece.at != piece.sp && !stacks_.contains(piece.key))) return;
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

u64 UnfinishedStacks::oldest_ns() const {
  u64 oldest = ~u64{0};
  for (const auto& [key, stack] : stacks_) oldest = std::min(oldest, stack.time_ns);
  return oldest;
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
