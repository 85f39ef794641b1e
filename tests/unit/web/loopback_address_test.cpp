#include "web/loopback_address.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

std::string parsed(std::string_view text) {
  const auto address = LoopbackAddress::parse(text);
  return address ? address->text() : "";
}

TEST(LoopbackAddress, IsAPortOrANameOfThisMachine) {
  EXPECT_EQ(parsed("9100"), "127.0.0.1:9100");
  EXPECT_EQ(parsed("localhost:9100"), "127.0.0.1:9100");
  EXPECT_EQ(parsed("127.0.0.2:9100"), "127.0.0.2:9100");
  EXPECT_EQ(parsed("[::1]:9100"), "[::1]:9100");
  EXPECT_EQ(parsed("[0:0:0:0:0:0:0:1]:9100"), "[::1]:9100");
  EXPECT_EQ(parsed("0"), "127.0.0.1:0");
}

TEST(LoopbackAddress, IsNothingOthersCouldReach) {
  for (const char* bad :
       {"", ":9100", "0.0.0.0:9100", "10.0.0.1:9100", "[::]:9100", "::1:9100", "[::1]", "localhost",
        "127.0.0.1", "127.1:80", "example.org:80", "65536", "-1", "9100x", "[]:1", "[:1"})
    EXPECT_EQ(parsed(bad), "") << bad;
}

}  // namespace
}  // namespace wick
