// ByteSource: bytes of a file or of memory behind one checked read. Used by ElfFile.
// A file is read by pread and never mapped: its owner may truncate it, and a fault would end us.
// What is read is spent from the file's Budget: when that is gone, reading fails. One thread at a
// time.
//
//   ByteSource bytes = TRY(ByteSource::from_file(std::move(fd)));
//   TRY(bytes.read(offset, buffer));         // all of the buffer, or an error
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

class ByteSource {
 public:
  // Only a regular file: a device or a pipe could block, or act on being read.
  // Without a budget it gets one of its own, by its size.
  [[nodiscard]] static Result<ByteSource> from_file(Fd fd, std::shared_ptr<Budget> budget = {});
  [[nodiscard]] static ByteSource from_bytes(std::vector<std::byte> bytes,
                                             std::shared_ptr<Budget> budget = {});
  // The memory must outlive the source.
  [[nodiscard]] static ByteSource from_view(std::span<const std::byte> view);

  [[nodiscard]] u64 size() const { return size_; }
  [[nodiscard]] Budget& budget() const { return *budget_; }
  [[nodiscard]] const std::shared_ptr<Budget>& shared_budget() const { return budget_; }
  // Its path, as far as the kernel knows; "" of memory.
  [[nodiscard]] std::string name() const { return fd_.valid() ? file_name_of(fd_) : std::string{}; }
  [[nodiscard]] bool contains(u64 offset, u64 size) const {
    return offset <= size_ && size <= size_ - offset;
  }
  [[nodiscard]] Status read(u64 offset, std::span<std::byte> out) const;
  // What there is from `offset`, up to the size of `out`: fewer bytes at the end of the file.
  [[nodiscard]] std::size_t read_some(u64 offset, std::span<std::byte> out) const;
  [[nodiscard]] Result<std::vector<std::byte>> read(u64 offset, u64 size, u64 limit) const;

 private:
  [[nodiscard]] Status read_unpaid(u64 offset, std::span<std::byte> out) const;

  std::shared_ptr<Budget> budget_;  // never null
  Fd fd_;
  std::vector<std::byte> owned_;
  std::span<const std::byte> view_;
  u64 size_ = 0;
};

}  // namespace wick
