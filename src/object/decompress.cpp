#include "object/decompress.h"

#include <elf.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace wick {
namespace {

// deflate cannot do better than 1032:1, so a header that claims more lies about its size.
constexpr u64 kMaxRatio = 1032;
constexpr std::size_t kUnpackPiece = std::size_t{1} << 20;

class Inflater {
 public:
  explicit Inflater(std::span<const std::byte> packed) {
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    ready_ = ::inflateInit(&stream_) == Z_OK;
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  Inflater(Inflater&&) = delete;
  Inflater& operator=(Inflater&&) = delete;
  ~Inflater() {
    if (ready_) ::inflateEnd(&stream_);
  }

  // All of `out`; false: damaged, or there is not so much.
  [[nodiscard]] bool fill(std::span<std::byte> out) {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int status = ready_ ? ::inflate(&stream_, Z_NO_FLUSH) : Z_MEM_ERROR;
    ended_ = status == Z_STREAM_END;
    return (status == Z_OK || ended_) && stream_.avail_out == 0;
  }
  // The stream ends where what was filled ends.
  [[nodiscard]] bool at_end() {
    std::byte more{};
    return ended_ || (!fill({&more, 1}) && ended_);
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
  bool ended_ = false;
};

struct CompressionHeader {
  u32 type = 0;
  u64 size = 0;
  std::size_t length = 0;  // of the header itself
};

template <class Raw>
Result<CompressionHeader> read_header(std::span<const std::byte> raw) {
  Raw header{};
  if (raw.size() < sizeof(header)) return fail("compression header cut off");
  std::memcpy(&header, raw.data(), sizeof(header));
  return CompressionHeader{header.ch_type, header.ch_size, sizeof(header)};
}

}  // namespace

Result<std::vector<std::byte>> decompress_section(std::span<const std::byte> raw, bool is_64,
                                                  u64 limit, Budget& budget) {
  const CompressionHeader header =
      TRY(is_64 ? read_header<Elf64_Chdr>(raw) : read_header<Elf32_Chdr>(raw));
  if (header.type != ELFCOMPRESS_ZLIB) return fail("compressed by a method not supported");
  const std::span<const std::byte> packed = raw.subspan(header.length);
  if (header.size > limit) return fail("larger than " + std::to_string(limit) + " bytes");
  if (header.size > packed.size() * kMaxRatio) return fail("compressed size is impossible");
  if (packed.size() > limit) return fail("compressed size is impossible");
  // Before the memory is asked for.
  if (!budget.spend(Cost::unpacked, header.size)) return fail(budget.cause());
  std::vector<std::byte> out(header.size);
  Inflater inflater{packed};
  for (std::size_t done = 0; done < out.size();) {
    const std::size_t piece = std::min(kUnpackPiece, out.size() - done);
    if (!inflater.fill(std::span{out}.subspan(done, piece)))
      return fail("compressed data is damaged");
    if (!budget.spend(Cost::steps, piece / 16)) return fail(budget.cause());
    done += piece;
  }
  if (!out.empty() && !inflater.at_end()) return fail("compressed data is damaged");
  return out;
}

}  // namespace wick
