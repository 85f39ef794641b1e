// ReadStream: where a reader's bytes come from, whatever it is: a file or a pipe, memory, or either
// of them gzipped.
//
//   std::unique_ptr<ReadStream> stream = file_stream(std::move(fd));
//   if (is_gzip(head)) stream = inflated(std::move(stream), limit);
//   while (const std::size_t got = TRY(stream->read(buffer))) …
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace wick {

class ReadStream {
 public:
  ReadStream() = default;
  ReadStream(const ReadStream&) = delete;
  ReadStream& operator=(const ReadStream&) = delete;
  ReadStream(ReadStream&&) = delete;
  ReadStream& operator=(ReadStream&&) = delete;
  virtual ~ReadStream() = default;

  // 0 at the end; fewer than asked for does not mean it is near.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<char> out) = 0;
  // How much of the file is behind us: of a gzipped one, of its own bytes.
  [[nodiscard]] virtual u64 position() const = 0;
};

[[nodiscard]] std::unique_ptr<ReadStream> file_stream(Fd fd);
// The bytes stay the caller's.
[[nodiscard]] std::unique_ptr<ReadStream> memory_stream(std::string_view bytes);
// `head`, which was read already, then the rest.
[[nodiscard]] std::unique_ptr<ReadStream> with_head(std::string head,
                                                    std::unique_ptr<ReadStream> rest);
// More than `limit` bytes is an error: a small file can hold any number of them.
[[nodiscard]] std::unique_ptr<ReadStream> inflated(std::unique_ptr<ReadStream> packed, u64 limit);

[[nodiscard]] bool is_gzip(std::string_view head);

// Up to `limit` bytes; fewer only at the end.
[[nodiscard]] Result<std::string> read_up_to(ReadStream& stream, std::size_t limit);

}  // namespace wick
