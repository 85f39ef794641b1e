#include "proc/errno_names.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace wick {
namespace {

TEST(ErrnoNumber, TakesNamesAndNumbers) {
  EXPECT_EQ(errno_number("ENOENT").value(), ENOENT);
  EXPECT_EQ(errno_number("EHWPOISON").value(), EHWPOISON);
  EXPECT_EQ(errno_number("110").value(), 110);
}

TEST(ErrnoNumber, RefusesOthers) {
  for (const char* text : {"", "0", "EFOO", "enoent", "-2", "4096"})
    EXPECT_FALSE(errno_number(text)) << text;
}

}  // namespace
}  // namespace wick
