#include "web/http_request.h"

#include <gtest/gtest.h>

#include <string>

namespace wick {
namespace {

TEST(HttpRequest, TellsMethodTargetAndHost) {
  const ParsedHead head =
      parse_head("GET /a?b HTTP/1.1\r\nhOsT:  127.0.0.1:80 \r\nX: y\r\n\r\nrest");
  ASSERT_EQ(head.state, HeadState::complete);
  EXPECT_EQ(head.request.method, "GET");
  EXPECT_EQ(head.request.target, "/a?b");
  EXPECT_EQ(head.request.host, "127.0.0.1:80");
}

TEST(HttpRequest, EveryBeginningOfAHeadIsIncomplete) {
  const std::string whole = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  for (std::size_t size = 0; size < whole.size(); size++)
    EXPECT_EQ(parse_head(whole.substr(0, size)).state, HeadState::incomplete) << size;
  EXPECT_EQ(parse_head(whole).state, HeadState::complete);
}

TEST(HttpRequest, WithoutHeadersThereIsNoHost) {
  const ParsedHead head = parse_head("GET / HTTP/1.0\r\n\r\n");
  ASSERT_EQ(head.state, HeadState::complete);
  EXPECT_EQ(head.request.host, "");
}

TEST(HttpRequest, TwoHostsAreNone) {
  const ParsedHead head = parse_head("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  ASSERT_EQ(head.state, HeadState::complete);
  EXPECT_EQ(head.request.host, "");
}

TEST(HttpRequest, MalformedHeadsAreRefused) {
  for (const char* text :
       {"\r\n\r\n", "GET\r\n\r\n", "GET / \r\n\r\n", "GET / HTTP/2\r\n\r\n",
        "GET x HTTP/1.1\r\n\r\n", " / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\n: a\r\n\r\n",
        "GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n", "GET /\x01 HTTP/1.1\r\n\r\n"})
    EXPECT_EQ(parse_head(text).state, HeadState::malformed) << text;
}

TEST(HttpRequest, AHeadHasALimit) {
  const std::string head = "GET / HTTP/1.1\r\nX: " + std::string(kLongestHead, 'x');
  EXPECT_EQ(parse_head(head).state, HeadState::too_long);
  EXPECT_EQ(parse_head(head + "\r\n\r\n").state, HeadState::too_long);
}

}  // namespace
}  // namespace wick
