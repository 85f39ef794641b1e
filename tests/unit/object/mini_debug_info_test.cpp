#include "object/mini_debug_info.h"

#include <gtest/gtest.h>
#include <lzma.h>

#include "elf_builder.h"

namespace wick {
namespace {

Bytes pack(const Bytes& plain) {
  Bytes out(::lzma_stream_buffer_bound(plain.size()));
  std::size_t size = 0;
  EXPECT_EQ(::lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr,
                                      reinterpret_cast<const uint8_t*>(plain.data()), plain.size(),
                                      reinterpret_cast<uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  out.resize(size);
  return out;
}

TEST(MiniDebugInfo, UnpacksToTheElfInside) {
  ElfBuilder inner;
  inner.symbol("hidden", 0x1000, 16);
  inner.symbol_table(SHT_SYMTAB);
  ElfBuilder outer;
  outer.section({.name = ".gnu_debugdata"}, pack(inner.build()));
  const auto elf = mini_debug_info(*ElfFile::from_bytes(outer.build()));
  ASSERT_TRUE(elf);
  EXPECT_NE(elf->section_of_type(SHT_SYMTAB), nullptr);
}

TEST(MiniDebugInfo, FileWithoutItIsAnError) {
  EXPECT_FALSE(mini_debug_info(*ElfFile::from_bytes(ElfBuilder{}.build())));
}

TEST(MiniDebugInfo, BombIsAnErrorAtTheLimit) {
  const Bytes bomb = pack(Bytes(1 << 20));
  EXPECT_LT(bomb.size(), 1000U);
  Budget budget{bomb.size()};
  EXPECT_FALSE(unpack_xz(bomb, budget, 1 << 19));
  EXPECT_TRUE(unpack_xz(bomb, budget, 2 << 20));
}

TEST(MiniDebugInfo, DamagedOrCutDataIsAnError) {
  Bytes packed = pack(to_bytes("some text that is packed"));
  Budget budget{packed.size()};
  EXPECT_FALSE(unpack_xz(std::span{packed}.first(packed.size() - 3), budget));
  packed[packed.size() / 2] ^= std::byte{0xff};
  EXPECT_FALSE(unpack_xz(packed, budget));
  EXPECT_FALSE(unpack_xz({}, budget));
}

}  // namespace
}  // namespace wick
