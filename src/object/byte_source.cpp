#include "object/byte_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace wick {

Result<ByteSource> ByteSource::from_file(Fd fd, std::shared_ptr<Budget> budget) {
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail_errno("stat");
  if (!S_ISREG(info.st_mode)) return fail("not a regular file");
  ByteSource source;
  source.size_ = static_cast<u64>(info.st_size);
  source.budget_ = budget ? std::move(budget) : Budget::for_file(fd);
  source.fd_ = std::move(fd);
  return source;
}

ByteSource ByteSource::from_bytes(std::vector<std::byte> bytes, std::shared_ptr<Budget> budget) {
  ByteSource source;
  source.owned_ = std::move(bytes);
  source.view_ = source.owned_;  // a moved vector keeps its storage, so the view stays good
  source.size_ = source.view_.size();
  source.budget_ = budget ? std::move(budget) : std::make_shared<Budget>(source.size_);
  return source;
}

ByteSource ByteSource::from_view(std::span<const std::byte> view) {
  ByteSource source;
  source.view_ = view;
  source.size_ = view.size();
  source.budget_ = std::make_shared<Budget>(source.size_);
  return source;
}

Status ByteSource::read(u64 offset, std::span<std::byte> out) const {
  if (!contains(offset, out.size())) return fail("beyond the end of the file");
  // In pieces: a system call for gigabytes could not be stopped.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (; out.size() > kPiece; out = out.subspan(kPiece), offset += kPiece) {
    if (!budget_->spend(Cost::read, kPiece)) return fail(budget_->cause());
    TRY(read_unpaid(offset, out.first(kPiece)));
  }
  if (!budget_->spend(Cost::read, out.size())) return fail(budget_->cause());
  return read_unpaid(offset, out);
}

Status ByteSource::read_unpaid(u64 offset, std::span<std::byte> out) const {
  if (fd_.valid()) return read_exactly_at(fd_.get(), out, offset);
  if (!out.empty()) std::memcpy(out.data(), view_.data() + offset, out.size());
  return {};
}

std::size_t ByteSource::read_some(u64 offset, std::span<std::byte> out) const {
  if (offset >= size_) return 0;
  const auto size = static_cast<std::size_t>(std::min<u64>(out.size(), size_ - offset));
  return read(offset, out.first(size)) ? size : 0;
}

Result<std::vector<std::byte>> ByteSource::read(u64 offset, u64 size, u64 limit) const {
  if (size > limit) return fail("larger than " + std::to_string(limit) + " bytes");
  // Before the allocation: a small file may claim any size.
  if (!contains(offset, size)) return fail("beyond the end of the file");
  // Before it too: holes cost nothing to write.
  if (size > budget_->limit(Cost::memory)) return fail("more than its file may hold");
  std::vector<std::byte> out(static_cast<std::size_t>(size));
  TRY(read(offset, out));
  return out;
}

}  // namespace wick
