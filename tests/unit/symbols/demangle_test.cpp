#include "symbols/demangle.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Demangle, CppNameHasItsParameters) {
  EXPECT_EQ(demangle("_ZN3foo3barEiPKc"), "foo::bar(int, char const*)");
  EXPECT_EQ(demangle("_ZNSt6vectorIiSaIiEE9push_backERKi"),
            "std::vector<int, std::allocator<int> >::push_back(int const&)");
}

TEST(Demangle, ParametersCanBeLeftOut) {
  EXPECT_EQ(demangle("_ZN3foo3barEiPKc", DemangleStyle::no_parameters), "foo::bar");
}

TEST(Demangle, NoneLeavesEverything) {
  EXPECT_EQ(demangle("_ZN3foo3barEi", DemangleStyle::none), "_ZN3foo3barEi");
}

TEST(Demangle, PartsOfAFunctionSaySo) {
  EXPECT_EQ(demangle("_ZN3foo3barEi.cold"), "foo::bar(int) [clone .cold]");
}

TEST(Demangle, OldRustNameLosesItsHash) {
  EXPECT_EQ(demangle("_ZN4core3fmt9Formatter3pad17h5b8a7f1c9d2e3f40E"),
            "core::fmt::Formatter::pad");
}

TEST(Demangle, NewRustName) {
  EXPECT_EQ(demangle("_RNvCs1234_7mycrate3foo"), "mycrate::foo");
}

TEST(Demangle, DName) {
  EXPECT_EQ(demangle("_D3std5stdio7writelnFZv"), "std.stdio.writeln()");
}

TEST(Demangle, OtherNamesStay) {
  for (const char* name : {"", "main", "_start", "_Z", "_ZN", "_R", "_D", "Java_foo_Bar", "__Znwm"})
    EXPECT_EQ(demangle(name), name);
}

TEST(Demangle, LongNameStaysAsItIs) {
  const std::string name = "_ZN" + std::string(100'000, 'a');
  EXPECT_EQ(demangle(name), name);
}

// Each template argument is the pair of the one before twice: 2^40 words if it were printed.
TEST(Demangle, NameThatWouldPrintAsGigabytesStaysAsItIs) {
  std::string name = "_Z1fI1aIiiE";
  for (int i = 0; i < 40; ++i) {
    const std::string before =
        i == 0 ? "S0_" : "S" + std::string(1, i < 10 ? char('0' + i) : char('A' + i - 10)) + "_";
    if (i > 35) break;
    name += "S_I" + before + before + "E";
  }
  name += "EvT_";
  const std::string text = demangle(name);
  EXPECT_LE(text.size(), 16U << 10);
}

TEST(Demangle, DeepNestingStaysAsItIs) {
  const std::string name = "_Z1f" + std::string(4000, 'P') + "i";
  EXPECT_FALSE(demangle(name).empty());
}

TEST(Demangle, DNameWithManyBackReferencesStaysAsItIs) {
  std::string name = "_D1aFB2ii";
  for (int i = 0; i < 60; ++i) name += "B2QfQh";
  name += "Zv";
  EXPECT_EQ(demangle(name), name);
}

}  // namespace
}  // namespace wick
