#include "symbols/perf_map.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"

namespace wick {
namespace {

// Of a longer line the end is not kept.
constexpr std::size_t kMaxMapLine = 4096;
// Node may write gigabytes in a week; what is in use stands near the end. CodeNames keeps no more.
constexpr u64 kMaxReadBytes = u64{64} << 20;
// Lines begin with addresses: a map that was written anew does not have the same ones there.
constexpr std::size_t kTailBytes = 16;
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

std::optional<u64> take_hex(std::string_view& rest) {
  std::string_view word = take_until(rest, ' ');
  if (word.starts_with("0x")) word.remove_prefix(2);  // as the JVM writes it
  return parse_number<u64>(word, 16);
}

}  // namespace

void PerfMap::restart(u64 offset) {
  names_.clear();
  partial_.clear();
  tail_.clear();
  skip_to_line_ = offset != 0;
  offset_ = offset;
}

Status PerfMap::read_more(const Fd& fd) {
  return read_more(fd, *Budget::for_file(fd));
}

Status PerfMap::read_more(const Fd& fd, Budget& budget) {
  const Budget::Turn turn{budget};
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail_errno("stat");
  const auto size = static_cast<u64>(info.st_size);
  if (was_rewritten(fd, size)) restart(0);
  if (size - offset_ > kMaxReadBytes) {
    restart(size - kMaxReadBytes);
    cut_ = true;
  }
  std::string piece;
  for (skip_hole(fd, size); offset_ < size; skip_hole(fd, size)) {
    piece.resize(std::min<u64>(kPieceBytes, size - offset_));
    if (!budget.spend(Cost::read, piece.size()) || !budget.spend(Cost::steps, piece.size() / 16))
      return fail(budget.cause());
    TRY(read_exactly_at(fd.get(), std::as_writable_bytes(std::span(piece)), offset_));
    feed(piece);
    offset_ += piece.size();
    tail_ = piece.substr(piece.size() - std::min(kTailBytes, piece.size()));
  }
  return {};
}

// The JVM writes its map anew each time it is asked for it.
bool PerfMap::was_rewritten(const Fd& fd, u64 size) const {
  if (size < offset_) return true;
  std::string now(tail_.size(), '\0');
  return !read_exactly_at(fd.get(), std::as_writable_bytes(std::span(now)),
                          offset_ - tail_.size()) ||
         now != tail_;
}

// A file of gigabytes costs nothing to make if nothing is written to it, and no line is there.
void PerfMap::skip_hole(const Fd& fd, u64 size) {
  if (offset_ >= size) return;
  const off_t before = ::lseek(fd.get(), 0, SEEK_CUR);
  const off_t data = ::lseek(fd.get(), static_cast<off_t>(offset_), SEEK_DATA);
  const bool at_end = data < 0 && errno == ENXIO;
  ::lseek(fd.get(), before, SEEK_SET);
  if (data < 0 && !at_end) return;  // a file system that does not know
  const u64 next = at_end ? size : std::min(static_cast<u64>(data), size);
  if (next <= offset_) return;
  partial_.clear();
  tail_.clear();
  skip_to_line_ = true;
  offset_ = next;
}

void PerfMap::feed(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view text = piece.substr(0, end);
    const bool whole = end != std::string_view::npos;
    piece.remove_prefix(whole ? end + 1 : piece.size());
    if (skip_to_line_) {
      skip_to_line_ = !whole;
    } else if (whole && partial_.empty()) {
      line(text);
    } else {
      partial_.append(text.substr(0, kMaxMapLine - std::min(kMaxMapLine, partial_.size())));
      if (!whole) continue;
      line(partial_);
      partial_.clear();
    }
  }
}

void PerfMap::line(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  std::string_view rest = text.substr(0, kMaxMapLine);
  if (rest.empty()) return;
  const auto start = take_hex(rest);
  const auto size = take_hex(rest);
  if (!start || !size || rest.empty()) {
    malformed_++;
    return;
  }
  names_.add({.start = *start, .size = *size, .time_ns = 0}, rest);
}

}  // namespace wick
