#include "symbols/name_source.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace wick {
namespace {

constexpr u32 kDirectReads = 256;
constexpr std::size_t kDirectSize = 256;
constexpr u64 kAheadSize = 16U << 10;
constexpr u64 kLongestName = 64U << 10;  // more is cut
constexpr u64 kLoadLimit = u64{32} << 20;

}  // namespace

NameSource::NameSource(std::shared_ptr<const ElfFile> elf, const ElfSection& strings)
    : elf_(std::move(elf)), offset_(strings.offset), size_(strings.size) {}

bool NameSource::read(u32 offset, std::string& out) {
  if (offset >= size_) return false;
  const bool loaded = block_.size() == size_;
  if (!loaded && ++reads_ > kDirectReads && size_ <= kLoadLimit && load(0, size_))
    return take(offset, out);
  if (loaded) return take(offset, out);
  std::array<char, kDirectSize> buffer;  // NOLINT: filled by the read
  const std::span<char> piece{buffer.data(), std::min<u64>(buffer.size(), size_ - offset)};
  if (!elf_->bytes().read(offset_ + offset, std::as_writable_bytes(piece))) return false;
  const std::size_t length = ::strnlen(piece.data(), piece.size());
  if (length == piece.size() && piece.size() == kDirectSize) return read_next(offset, out);
  out.assign(piece.data(), length);
  return length != 0;
}

bool NameSource::read_next(u32 offset, std::string& out) {
  if (offset >= size_) return false;
  const auto ends_in_block = [&] {
    if (offset < block_start_ || offset - block_start_ >= block_.size()) return false;
    const u64 at = offset - block_start_;
    return std::memchr(block_.data() + at, 0, block_.size() - at) != nullptr;
  };
  if (block_.size() != size_ && !ends_in_block()) {
    if (!load(offset, std::min(kAheadSize, size_ - offset))) return false;
    if (!ends_in_block() && !load(offset, std::min(kLongestName, size_ - offset))) return false;
  }
  return take(offset - block_start_, out);
}

bool NameSource::take(std::size_t at, std::string& out) const {
  const std::size_t room = std::min<std::size_t>(block_.size() - at, kLongestName);
  out.assign(block_.data() + at, ::strnlen(block_.data() + at, room));
  return !out.empty();
}

bool NameSource::load(u64 from, u64 size) {
  block_.resize(size);
  block_start_ = from;
  if (elf_->bytes().read(offset_ + from, std::as_writable_bytes(std::span{block_}))) return true;
  block_.clear();
  return false;
}

}  // namespace wick
