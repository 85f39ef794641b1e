#include "proc/machine.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(CpuList, RangesAndSinglesAreOrderedAndOnce) {
  EXPECT_EQ(parse_cpu_list("0-3,5\n").value(), (std::vector<u32>{0, 1, 2, 3, 5}));
  EXPECT_EQ(parse_cpu_list("5,1-2,2").value(), (std::vector<u32>{1, 2, 5}));
  EXPECT_EQ(parse_cpu_list("0").value(), std::vector<u32>{0});
}

TEST(CpuList, NonsenseIsAUsageError) {
  for (const char* text :
       {"", ",", "1,", "a", "3-1", "-1", "1-", "1-2-3", "0-4294967295", "65536"}) {
    const auto cpus = parse_cpu_list(text);
    ASSERT_FALSE(cpus) << text;
    EXPECT_EQ(cpus.error().kind, ErrorKind::usage);
  }
}

TEST(CpuList, TextIsTheInverse) {
  EXPECT_EQ(cpu_list_text({0, 1, 2, 3, 5}), "0-3,5");
  EXPECT_EQ(cpu_list_text({7}), "7");
  EXPECT_EQ(cpu_list_text({}), "");
}

TEST(Machine, SomeCpuIsOnlineAndMayBeWanted) {
  const auto online = online_cpus();
  ASSERT_TRUE(online);
  ASSERT_FALSE(online->empty());
  EXPECT_GE(possible_cpus().value().size(), online->size());
  EXPECT_EQ(wanted_cpus(std::to_string(online->back())).value(), std::vector<u32>{online->back()});
}

TEST(Machine, OfflineCpuIsRefusedWithThoseOnline) {
  const auto cpus = wanted_cpus("65535");
  ASSERT_FALSE(cpus);
  EXPECT_NE(cpus.error().hint.find("online are 0"), std::string::npos);
}

TEST(Machine, HasANameAndAKernel) {
  EXPECT_FALSE(host_name().empty());
  EXPECT_FALSE(kernel_release().empty());
}

}  // namespace
}  // namespace wick
