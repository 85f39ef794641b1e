#include "formats/gzip_sink.h"

#include <limits>

namespace wick {
namespace {

constexpr int kGzip = 16;  // added to windowBits: a gzip header instead of zlib's
constexpr int kWindowBits = 15;
constexpr int kMemoryLevel = 8;
constexpr int kCompression = 4;
constexpr std::size_t kPackedBytes = std::size_t{64} << 10;

}  // namespace

GzipSink::GzipSink(Sink& out)
    : out_(out),
      ready_(::deflateInit2(&stream_, kCompression, Z_DEFLATED, kWindowBits + kGzip, kMemoryLevel,
                            Z_DEFAULT_STRATEGY) == Z_OK),
      packed_(kPackedBytes) {}

GzipSink::~GzipSink() {
  if (ready_) ::deflateEnd(&stream_);
}

Status GzipSink::write(std::string_view data) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  while (!data.empty()) {
    TRY(deflate_all(data.substr(0, kMost), Z_NO_FLUSH));
    data.remove_prefix(std::min(data.size(), kMost));
  }
  return {};
}

Status GzipSink::finish() {
  return deflate_all({}, Z_FINISH);
}

Status GzipSink::deflate_all(std::string_view data, int flush) {
  if (!ready_) return fail("gzip: no memory");
  // zlib does not write through next_in; its type lost the const.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream_.avail_in = static_cast<uInt>(data.size());
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_out = static_cast<uInt>(packed_.size());
    if (::deflate(&stream_, flush) == Z_STREAM_ERROR) return fail("gzip: broken stream");
    TRY(out_.write({packed_.data(), packed_.size() - stream_.avail_out}));
  } while (stream_.avail_out == 0);
  return {};
}

}  // namespace wick
