#include "object/decompress.h"

#include <elf.h>
#include <zlib.h>

#include <cstring>

namespace wick {
namespace {

// deflate cannot do better than 1032:1, so a header that claims more lies about its size.
constexpr u64 kMaxRatio = 1032;

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
                                                  u64 limit) {
  const CompressionHeader header =
      TRY(is_64 ? read_header<Elf64_Chdr>(raw) : read_header<Elf32_Chdr>(raw));
  if (header.type != ELFCOMPRESS_ZLIB) return fail("compressed by a method not supported");
  const std::span<const std::byte> packed = raw.subspan(header.length);
  if (header.size > limit) return fail("larger than " + std::to_string(limit) + " bytes");
  if (header.size > packed.size() * kMaxRatio) return fail("compressed size is impossible");
  std::vector<std::byte> out(header.size);
  uLongf size = out.size();
  const int status = ::uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                                  reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  if (status != Z_OK || size != out.size()) return fail("compressed data is damaged");
  return out;
}

}  // namespace wick
