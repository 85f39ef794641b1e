#include "symbols/jitdump.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace wick {
namespace {

// Writes the format, field by field.
class DumpBuilder {
 public:
  explicit DumpBuilder(u64 flags = 0, u32 magic = 0x4A695444, u32 version = 1) {
    put(magic), put(version), put(u32{40}), put(u32{62}), put(u32{0}), put(u32{1}), put(u64{7});
    put(flags);
  }
  DumpBuilder& load(u64 time, u64 address, u64 size, u64 index, std::string_view name) {
    head(0, 40 + name.size() + 1 + size, time);
    put(u32{1}), put(u32{1}), put(address), put(address), put(size), put(index);
    for (const char c : name) put(c);
    put('\0');
    bytes_.resize(bytes_.size() + size);
    return *this;
  }
  DumpBuilder& move(u64 time, u64 from, u64 to, u64 size, u64 index) {
    head(1, 48, time);
    put(u32{1}), put(u32{1}), put(to), put(from), put(to), put(size), put(index);
    return *this;
  }
  DumpBuilder& other(u32 kind, std::size_t size) {
    head(kind, size, 0);
    bytes_.resize(bytes_.size() + size);
    return *this;
  }
  DumpBuilder& head(u32 kind, std::size_t body, u64 time) {
    put(kind), put(static_cast<u32>(16 + body)), put(time);
    return *this;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  template <class T>
  void put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(value));
    std::memcpy(bytes_.data() + at, &value, sizeof(value));
  }
  std::vector<std::byte> bytes_;
};

std::string at(const Jitdump& dump, u64 address, u64 time_ns) {
  const std::vector<CodeMoment> wanted{{address, time_ns}};
  return std::string(dump.names().resolve(wanted).front());
}

Status read(Jitdump& dump, std::span<const std::byte> bytes) {
  return dump.read_more(ByteSource::from_view(bytes));
}

TEST(Jitdump, AnAddressBelongsToTheFunctionOfItsTime) {
  DumpBuilder file;
  file.load(10, 0x1000, 0x40, 1, "first").other(2, 24).load(20, 0x1000, 0x40, 2, "second");
  Jitdump dump;
  ASSERT_TRUE(read(dump, file.bytes()));
  EXPECT_EQ(at(dump, 0x1010, 15), "first");
  EXPECT_EQ(at(dump, 0x1010, 25), "second");
  EXPECT_EQ(at(dump, 0x1040, 25), "");
}

TEST(Jitdump, MovedCodeTakesItsNameAlong) {
  DumpBuilder file;
  file.load(10, 0x1000, 0x40, 1, "f").move(20, 0x1000, 0x1020, 0x40, 1);
  file.move(30, 0x1020, 0x5000, 0x40, 1);
  Jitdump dump;
  ASSERT_TRUE(read(dump, file.bytes()));
  EXPECT_EQ(at(dump, 0x1000, 15), "f");
  EXPECT_EQ(at(dump, 0x1000, 25), "");
  EXPECT_EQ(at(dump, 0x1050, 25), "f");
  EXPECT_EQ(at(dump, 0x1050, 35), "");
  EXPECT_EQ(at(dump, 0x5000, 35), "f");
}

TEST(Jitdump, TheOtherByteOrderIsRefusedWithAWord) {
  Jitdump dump;
  const Status status = read(dump, DumpBuilder(0, 0x4454694A).bytes());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "a jitdump of the other byte order");
}

TEST(Jitdump, WhatIsNoJitdumpIsRefused) {
  for (const DumpBuilder& file : {DumpBuilder(0, 0x12345678), DumpBuilder(0, 0x4A695444, 2)}) {
    Jitdump dump;
    EXPECT_FALSE(read(dump, file.bytes()));
  }
  Jitdump dump;
  EXPECT_FALSE(read(dump, {}));
  EXPECT_FALSE(read(dump, DumpBuilder().bytes().first(39)));
}

TEST(Jitdump, StampsOfTheCpusCounterSayNothingButTheOrder) {
  DumpBuilder file(1);
  file.load(1000, 0x1000, 0x40, 1, "first").load(2000, 0x1000, 0x40, 2, "second");
  Jitdump dump;
  ASSERT_TRUE(read(dump, file.bytes()));
  EXPECT_EQ(at(dump, 0x1000, 1), "second");
}

TEST(Jitdump, ARecordNotYetWholeWaits) {
  DumpBuilder file;
  file.load(10, 0x1000, 0x40, 1, "first");
  const std::size_t whole = file.bytes().size();
  file.load(20, 0x2000, 0x40, 2, "second");
  for (std::size_t cut = whole; cut < file.bytes().size(); cut++) {
    Jitdump dump;
    ASSERT_TRUE(read(dump, file.bytes().first(cut)));
    EXPECT_EQ(at(dump, 0x1000, 50), "first");
    EXPECT_EQ(at(dump, 0x2000, 50), "");
    ASSERT_TRUE(read(dump, file.bytes()));
    EXPECT_EQ(at(dump, 0x2000, 50), "second");
    EXPECT_EQ(dump.names().size(), 2U);
  }
}

TEST(Jitdump, ARecordShorterThanItsHeadEndsTheReading) {
  for (const int size : {0, 1, 15}) {
    DumpBuilder file;
    file.load(10, 0x1000, 0x40, 1, "first");
    file.head(0, static_cast<std::size_t>(size) - 16, 0).load(10, 0x2000, 0x40, 1, "never");
    Jitdump dump;
    EXPECT_FALSE(read(dump, file.bytes()));
    EXPECT_EQ(at(dump, 0x1000, 50), "first");
    EXPECT_EQ(at(dump, 0x2000, 50), "");
  }
}

TEST(Jitdump, RecordsWithoutTheirFieldsAreNothing) {
  DumpBuilder file;
  for (const u32 kind : {0U, 1U, 2U, 3U, 4U, 99U})
    for (const std::size_t size : {0U, 1U, 39U, 40U, 41U}) file.other(kind, size);
  file.move(1, 0x1000, 0x2000, 0x40, 77);
  file.load(1, 0x3000, 0x40, 1, "");
  Jitdump dump;
  ASSERT_TRUE(read(dump, file.bytes()));
  EXPECT_EQ(dump.names().size(), 0U);
}

TEST(Jitdump, LargeCodeIsPassedOver) {
  DumpBuilder file;
  file.load(1, 0x1000, 300'000, 1, "large").load(2, 0x100000, 0x40, 2, std::string(5000, 'n'));
  file.load(3, 0x200000, 0x40, 3, "after");
  Jitdump dump;
  ASSERT_TRUE(read(dump, file.bytes()));
  EXPECT_EQ(at(dump, 0x1000 + 299'999, 5), "large");
  EXPECT_EQ(at(dump, 0x100000, 5), std::string(1024, 'n'));
  EXPECT_EQ(at(dump, 0x200000, 5), "after");
}

TEST(Jitdump, ItIsKnownByItsName) {
  EXPECT_TRUE(is_jitdump_path("/srv/jit-123.dump"));
  EXPECT_TRUE(is_jitdump_path("jit-1.dump"));
  for (const std::string_view other :
       {"", "/srv/jit-.dump", "/srv/jit-x.dump", "/srv/jit-1.dump.old", "/jit-1.dump/x",
        "/srv/xjit-1.dump", "/srv/jit-1.2.dump"})
    EXPECT_FALSE(is_jitdump_path(other)) << other;
}

}  // namespace
}  // namespace wick
