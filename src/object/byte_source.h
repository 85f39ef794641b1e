// ByteSource: bytes of a file or of memory behind one checked read. Used by ElfFile.
// A file is read by pread and never mapped: its owner may truncate it, and a fault would end us.
// Reading does not change it, so several threads may read at once.
//
//   ByteSource bytes = TRY(ByteSource::from_file(std::move(fd)));
//   TRY(bytes.read(offset, buffer));         // all of the buffer, or an error
#pragma once

#include <span>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

class ByteSource {
 public:
  // Only a regular file: a device or a pipe could block, or act on being read.
  [[nodiscard]] static Result<ByteSource> from_file(Fd fd);
  [[nodiscard]] static ByteSource from_bytes(std::vector<std::byte> bytes);
  // The memory must outlive the source.
  [[nodiscard]] static ByteSource from_view(std::span<const std::byte> view);

  [[nodiscard]] u64 size() const { return size_; }
  [[nodiscard]] bool contains(u64 offset, u64 size) const {
    return offset <= size_ && size <= size_ - offset;
  }
  [[nodiscard]] Status read(u64 offset, std::span<std::byte> out) const;
  // What there is from `offset`, up to the size of `out`: fewer bytes at the end of the file.
  [[nodiscard]] std::size_t read_some(u64 offset, std::span<std::byte> out) const;
  [[nodiscard]] Result<std::vector<std::byte>> read(u64 offset, u64 size, u64 limit) const;

 private:
  Fd fd_;
  std::vector<std::byte> owned_;
  std::span<const std::byte> view_;
  u64 size_ = 0;
};

}  // namespace wick
