#include "object/mini_debug_info.h"

#include <lzma.h>

#include <algorithm>

namespace wick {
namespace {

constexpr u64 kPackedLimit = u64{32} << 20;
constexpr std::size_t kFirstPiece = 256U << 10;
// The dictionary of `xz -9` takes 64 MB; MiniDebugInfo is packed with less: 8 MB, by `xz` as it is.
constexpr u64 kDecoderMemory = u64{36} << 20;
constexpr u64 kPieceOut = u64{1} << 20;

class XzStream {
 public:
  XzStream() : status_(::lzma_stream_decoder(&stream, kDecoderMemory, 0)) {}
  XzStream(const XzStream&) = delete;
  XzStream(XzStream&&) = delete;
  XzStream& operator=(const XzStream&) = delete;
  XzStream& operator=(XzStream&&) = delete;
  ~XzStream() { ::lzma_end(&stream); }

  lzma_stream stream = LZMA_STREAM_INIT;
  [[nodiscard]] bool ready() const { return status_ == LZMA_OK; }

 private:
  lzma_ret status_;
};

}  // namespace

Result<std::vector<std::byte>> unpack_xz(std::span<const std::byte> packed, Budget& budget,
                                         u64 limit) {
  XzStream xz;
  if (!xz.ready()) return fail("xz decoder: out of memory");
  xz.stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  xz.stream.avail_in = packed.size();
  std::vector<std::byte> out;
  std::size_t used = 0;
  while (true) {
    if (used == out.size()) {
      if (used >= limit)
        return fail("xz data unpacks to more than " + std::to_string(limit) + " bytes");
      out.resize(std::min<u64>(limit, std::max(kFirstPiece, used * 2)));
    }
    xz.stream.next_out = reinterpret_cast<uint8_t*>(out.data() + used);
    const u64 piece = std::min<u64>(kPieceOut, out.size() - used);
    xz.stream.avail_out = piece;
    const lzma_ret status = ::lzma_code(&xz.stream, LZMA_FINISH);
    const u64 got = piece - xz.stream.avail_out;
    used += got;
    if (!budget.spend(Cost::unpacked, got) || !budget.spend(Cost::steps, got / 4 + 1))
      return fail(budget.cause());
    if (status == LZMA_STREAM_END) break;
    if (status != LZMA_OK) return fail("xz data is damaged");
  }
  out.resize(used);
  out.shrink_to_fit();
  return out;
}

Result<ElfFile> mini_debug_info(const ElfFile& elf) {
  const ElfSection* section = elf.section(".gnu_debugdata");
  if (section == nullptr) return fail("no .gnu_debugdata");
  const std::vector<std::byte> packed = TRY(elf.read_section(*section, kPackedLimit));
  std::vector<std::byte> unpacked = TRY_CTX(unpack_xz(packed, elf.budget()), ".gnu_debugdata");
  return TRY_CTX(ElfFile::from_bytes(std::move(unpacked), elf.bytes().shared_budget()),
                 ".gnu_debugdata");
}

}  // namespace wick
