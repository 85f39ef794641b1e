#include "formats/read_stream.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace wick {
namespace {

constexpr std::size_t kInflateBytes = std::size_t{64} << 10;
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

class FileStream final : public ReadStream {
 public:
  explicit FileStream(Fd fd) : fd_(std::move(fd)) {}

  Result<std::size_t> read(std::span<char> out) override {
    while (true) {
      const ssize_t got = ::read(fd_.get(), out.data(), out.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail_errno("read");
      position_ += static_cast<u64>(got);
      return static_cast<std::size_t>(got);
    }
  }
  [[nodiscard]] u64 position() const override { return position_; }

 private:
  Fd fd_;
  u64 position_ = 0;
};

class MemoryStream final : public ReadStream {
 public:
  explicit MemoryStream(std::string_view bytes) : bytes_(bytes) {}

  Result<std::size_t> read(std::span<char> out) override {
    const std::size_t size = std::min(out.size(), bytes_.size() - at_);
    if (size > 0) std::memcpy(out.data(), bytes_.data() + at_, size);
    at_ += size;
    return size;
  }
  [[nodiscard]] u64 position() const override { return at_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

class HeadedStream final : public ReadStream {
 public:
  HeadedStream(std::string head, std::unique_ptr<ReadStream> rest)
      : head_(std::move(head)), first_(head_), rest_(std::move(rest)) {}

  Result<std::size_t> read(std::span<char> out) override {
    const std::size_t got = TRY(first_.read(out));
    return got > 0 ? Result<std::size_t>(got) : rest_->read(out);
  }
  [[nodiscard]] u64 position() const override { return rest_->position(); }

 private:
  std::string head_;
  MemoryStream first_;
  std::unique_ptr<ReadStream> rest_;
};

class InflatedStream final : public ReadStream {
 public:
  InflatedStream(std::unique_ptr<ReadStream> packed, u64 limit)
      : packed_(std::move(packed)), limit_(limit) {
    constexpr int kGzip = 16;
    started_ = ::inflateInit2(&stream_, kGzip + MAX_WBITS) == Z_OK;
  }
  InflatedStream(const InflatedStream&) = delete;
  InflatedStream& operator=(const InflatedStream&) = delete;
  InflatedStream(InflatedStream&&) = delete;
  InflatedStream& operator=(InflatedStream&&) = delete;
  ~InflatedStream() override { ::inflateEnd(&stream_); }

  Result<std::size_t> read(std::span<char> out) override {
    if (!started_) return fail("gzip: no memory");
    const std::size_t wanted = std::min<std::size_t>(out.size(), kReadBytes);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(wanted);
    while (stream_.avail_out == wanted && !done_) TRY(step());
    const std::size_t got = wanted - stream_.avail_out;
    inflated_ += got;
    if (inflated_ > limit_) return fail(fmt::format("gzip: more than {} bytes inside", limit_));
    return got;
  }
  [[nodiscard]] u64 position() const override { return packed_->position(); }

 private:
  Status step() {
    if (stream_.avail_in == 0) TRY(refill());
    if (stream_.avail_in == 0) {
      // Several gzip files one behind the other are one: the end is fine only between two.
      if (!between_) return fail(fmt::format("gzip: cut off at byte {}", position()));
      done_ = true;
      return {};
    }
    if (between_ && inflated_ > 0 && stream_.next_in[0] != 0x1F) {
      done_ = true;  // padding behind the last one
      return {};
    }
    between_ = false;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      between_ = true;
      ::inflateReset(&stream_);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      return fail(fmt::format("gzip: damaged near byte {}", position() - stream_.avail_in));
    }
    return {};
  }

  Status refill() {
    const std::size_t got = TRY(packed_->read(buffer_));
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(got);
    return {};
  }

  std::unique_ptr<ReadStream> packed_;
  u64 limit_;
  u64 inflated_ = 0;
  z_stream stream_{};
  bool started_ = false;
  bool between_ = true;  // at the beginning of a gzip stream, or behind one
  bool done_ = false;
  std::array<char, kInflateBytes> buffer_;
};

}  // namespace

std::unique_ptr<ReadStream> file_stream(Fd fd) {
  return std::make_unique<FileStream>(std::move(fd));
}

std::unique_ptr<ReadStream> memory_stream(std::string_view bytes) {
  return std::make_unique<MemoryStream>(bytes);
}

std::unique_ptr<ReadStream> with_head(std::string head, std::unique_ptr<ReadStream> rest) {
  return std::make_unique<HeadedStream>(std::move(head), std::move(rest));
}

std::unique_ptr<ReadStream> inflated(std::unique_ptr<ReadStream> packed, u64 limit) {
  return std::make_unique<InflatedStream>(std::move(packed), limit);
}

bool is_gzip(std::string_view head) {
  return head.starts_with("\x1F\x8B");
}

Result<std::string> read_up_to(ReadStream& stream, std::size_t limit) {
  std::string out;
  while (out.size() < limit) {
    const std::size_t had = out.size();
    if (out.capacity() < had + kInflateBytes) out.reserve(std::max(had * 2, kInflateBytes));
    out.resize(std::min({limit, out.capacity(), had + kReadBytes}));
    const std::size_t got = TRY(stream.read(std::span(out).subspan(had)));
    out.resize(had + got);
    if (got == 0) break;
  }
  return out;
}

}  // namespace wick
