#include "arch/call_site.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace wick {
namespace {

std::vector<std::byte> bytes(std::initializer_list<unsigned> list) {
  std::vector<std::byte> out;
  for (const unsigned b : list) out.push_back(static_cast<std::byte>(b));
  return out;
}

TEST(CallSite, NearCallIsACall) {
  EXPECT_TRUE(ends_with_call(bytes({0x90, 0x90, 0xE8, 0x24, 0xFC, 0xFF, 0xFF})));
}

TEST(CallSite, IndirectCallsOfEveryLengthAreCalls) {
  EXPECT_TRUE(ends_with_call(bytes({0xFF, 0xD0})));                          // call *%rax
  EXPECT_TRUE(ends_with_call(bytes({0x41, 0xFF, 0xD4})));                    // call *%r12
  EXPECT_TRUE(ends_with_call(bytes({0xFF, 0x50, 0x18})));                    // call *0x18(%rax)
  EXPECT_TRUE(ends_with_call(bytes({0x41, 0xFF, 0x14, 0xDF})));              // call *(%r15,%rbx,8)
  EXPECT_TRUE(ends_with_call(bytes({0xFF, 0x54, 0x24, 0x08})));              // call *8(%rsp)
  EXPECT_TRUE(ends_with_call(bytes({0xFF, 0x15, 0x10, 0x20, 0x00, 0x00})));  // call *x(%rip)
  EXPECT_TRUE(ends_with_call(
      bytes({0xFF, 0x94, 0xC3, 0x00, 0x01, 0x00, 0x00})));  // call *0x100(%rbx,%rax,8)
}

TEST(CallSite, PaddingAndOtherCodeAreNot) {
  EXPECT_FALSE(ends_with_call(bytes({0x66, 0x2E, 0x0F, 0x1F, 0x84, 0x00, 0x90})));
  EXPECT_FALSE(ends_with_call(bytes({0xFF, 0xE0})));  // jmp *%rax
  EXPECT_FALSE(ends_with_call(bytes({0xFF, 0x50})));  // cut short
  EXPECT_FALSE(ends_with_call({}));
}

TEST(CallSite, SignalReturnIsKnownByItsCode) {
  EXPECT_TRUE(is_signal_return(bytes({0x48, 0xC7, 0xC0, 0x0F, 0, 0, 0, 0x0F, 0x05, 0x0F})));
  EXPECT_FALSE(is_signal_return(bytes({0x48, 0xC7, 0xC0, 0x0E, 0, 0, 0, 0x0F, 0x05})));
  EXPECT_FALSE(is_signal_return(bytes({0x48})));
}

}  // namespace
}  // namespace wick
