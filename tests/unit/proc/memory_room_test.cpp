#include "proc/memory_room.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace wick {
namespace {

namespace fs = std::filesystem;

class MemoryRoomTest : public testing::Test {
 protected:
  MemoryRoomTest() {
    std::string name = testing::TempDir() + "wick_room_XXXXXX";
    root = ::mkdtemp(name.data());
  }
  ~MemoryRoomTest() override { fs::remove_all(root); }
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream{root + path} << text;
  }
  std::string root;
};

TEST_F(MemoryRoomTest, TightestOfAllCgroupsAboveUsCounts) {
  put("/proc/self/cgroup", "0::/a/b\n");
  put("/proc/self/mountinfo", "31 23 0:27 / /cg rw,nosuid - cgroup2 cgroup2 rw\n");
  put("/cg/a/b/memory.max", "max\n");
  put("/cg/a/memory.max", "1000000\n");
  put("/cg/a/memory.current", "400000\n");
  put("/cg/a/memory.stat", "anon 5\ninactive_file 50000\nactive_file 50000\nfile 1\n");
  const auto room = own_memory_room(root);
  ASSERT_TRUE(room);
  EXPECT_EQ(room->limit, 1000000U);
  EXPECT_EQ(room->left(), 700000U);
  EXPECT_EQ(room->cgroup, "/a");
}

TEST_F(MemoryRoomTest, VersionOneSaysTheSameByOtherNames) {
  put("/proc/self/cgroup", "4:cpu,memory:/x\n0::/\n");
  put("/proc/self/mountinfo",
      "30 23 0:26 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
      "31 23 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n32 23 0:28 / /cg/u rw - cgroup2 x "
      "rw\n");
  put("/cg/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("/cg/memory/x/memory.limit_in_bytes", "67108864\n");
  put("/cg/memory/x/memory.usage_in_bytes", "70000000\n");
  put("/cg/memory/x/memory.stat", "inactive_file 1\ntotal_inactive_file 7000000\n");
  const auto room = own_memory_room(root);
  ASSERT_TRUE(room);
  EXPECT_EQ(room->limit, 67108864U);
  EXPECT_EQ(room->left(), 67108864U - 63000000U);
}

TEST_F(MemoryRoomTest, ContainersMountMayBeginAtItsCgroup) {
  put("/proc/self/cgroup", "0::/docker/abc/in\n");
  put("/proc/self/mountinfo", "31 23 0:27 /docker/abc /cg rw - cgroup2 cgroup2 rw\n");
  put("/cg/in/memory.max", "5000\n");
  const auto room = own_memory_room(root);
  ASSERT_TRUE(room);
  EXPECT_EQ(room->limit, 5000U);
}

TEST_F(MemoryRoomTest, NoLimitIsNone) {
  put("/proc/self/cgroup", "0::/\n");
  put("/proc/self/mountinfo", "31 23 0:27 / /cg rw - cgroup2 cgroup2 rw\n");
  EXPECT_FALSE(own_memory_room(root));
  EXPECT_FALSE(own_memory_room(root + "/nowhere"));
}

}  // namespace
}  // namespace wick
