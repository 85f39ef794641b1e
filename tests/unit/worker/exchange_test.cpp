#include "worker/exchange.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include <gtest/gtest.h>

namespace wick {
namespace {

struct TwoEnds {
  Exchange ours;
  Exchange theirs;
};

TwoEnds two_ends() {
  ExchangePair pair = *make_exchange();
  TwoEnds out{std::move(pair.ours), {std::move(pair.theirs), Fd{}}};
  EXPECT_TRUE(out.ours.send_area());
  EXPECT_TRUE(out.theirs.take_area());
  return out;
}

std::vector<std::byte> numbered_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; i++) bytes[i] = static_cast<std::byte>(i * 7);
  return bytes;
}

TEST(Exchange, ShortAndLongMessagesArriveAsTheyWereSent) {
  const TwoEnds ends = two_ends();
  for (const std::size_t size : {0UL, 1UL, 16'384UL, 16'385UL, 3'000'000UL}) {
    const auto sent = numbered_bytes(size);
    ASSERT_TRUE(ends.theirs.send(MessageKind::answer, sent));
    const auto got = ends.ours.receive();
    ASSERT_TRUE(got) << got.error().text();
    EXPECT_EQ(got->kind, MessageKind::answer);
    EXPECT_EQ(got->bytes, sent) << size;
  }
}

TEST(Exchange, DescriptorsArriveOpen) {
  const TwoEnds ends = two_ends();
  const Fd zero = *Fd::open("/dev/zero");
  ASSERT_TRUE(ends.ours.send(MessageKind::table_request, {}, {zero.get()}));
  const auto got = ends.theirs.receive();
  ASSERT_TRUE(got);
  ASSERT_EQ(got->files.size(), 1U);
  char byte = 1;
  EXPECT_EQ(::read(got->files.front().get(), &byte, 1), 1);
  EXPECT_EQ(byte, 0);
}

TEST(Exchange, TheEndOfTheOtherSideIsAnErrorWithoutACode) {
  TwoEnds ends = two_ends();
  ends.theirs = Exchange{};
  const auto got = ends.ours.receive();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, 0);
}

TEST(Exchange, HeadersWithoutSenseAreRefused) {
  struct Header {
    u32 kind;
    u32 in_area;
    u64 size;
  };
  const TwoEnds ends = two_ends();
  for (const Header& header : {Header{0, 0, 0}, Header{999, 0, 0}, Header{5, 0, 8},
                               Header{5, 1, Exchange::kLimitBytes + 1}}) {
    ASSERT_EQ(::send(ends.theirs.socket(), &header, sizeof(header), 0),
              static_cast<ssize_t>(sizeof(header)));
    const auto got = ends.ours.receive();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, EBADMSG);
  }
  ASSERT_EQ(::send(ends.theirs.socket(), "x", 1, 0), 1);
  EXPECT_FALSE(ends.ours.receive());
}

TEST(Exchange, MemoryOfLongMessagesIsGivenBack) {
  const TwoEnds ends = two_ends();
  ASSERT_TRUE(ends.theirs.send(MessageKind::answer, numbered_bytes(3'000'000)));
  ASSERT_TRUE(ends.ours.receive());
  struct stat info{};
  ASSERT_EQ(::fstat(ends.ours.area(), &info), 0);
  EXPECT_GT(info.st_blocks, 0);
  ends.ours.trim();
  ASSERT_EQ(::fstat(ends.ours.area(), &info), 0);
  EXPECT_EQ(info.st_blocks, 0);
}

}  // namespace
}  // namespace wick
