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
  EXPECT_EQ(demangle("_Z1000" + std::string(1000, 'a')), std::string(1000, 'a'));
  const std::string name = "_Z100000" + std::string(100'000, 'a');
  EXPECT_EQ(demangle(name), name);
}

// a<int, int>, then again and again the template of the last one twice: 2^levels words.
std::string doubling_name(int levels) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1f1aIiiE";
  for (int i = 0; i < levels; ++i) {
    const std::string last{'S', kDigits[static_cast<std::size_t>(i)], '_'};
    name.append("S_I").append(last).append(last).append("E");
  }
  return name;
}

TEST(Demangle, NameThatWouldPrintAsGigabytesStaysAsItIs) {
  EXPECT_EQ(demangle(doubling_name(1)), "f(a<int, int>, a<a<int, int>, a<int, int> >)");
  EXPECT_EQ(demangle(doubling_name(35)), doubling_name(35));
}

TEST(Demangle, DeepNestingStaysAsItIs) {
  const auto nested = [](std::size_t levels) { return "_Z1f" + std::string(levels, 'P') + "i"; };
  EXPECT_EQ(demangle(nested(400)), "f(int" + std::string(400, '*') + ")");
  EXPECT_EQ(demangle(nested(4000)), nested(4000));
}

TEST(Demangle, DNameWithManyBackReferencesStaysAsItIs) {
  const auto refers = [](int times) {
    std::string name = "_D1aFAi";
    for (int i = 0; i < times; ++i) name += "Qc";
    return name + "Zv";
  };
  EXPECT_EQ(demangle(refers(2)), "a(int[], int[], int[])");
  EXPECT_EQ(demangle(refers(60)), refers(60));
}

}  // namespace
}  // namespace wick
