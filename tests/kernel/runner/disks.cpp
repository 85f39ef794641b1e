#include "disks.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace wick::test {

namespace {

// As tests/vm/disks made it.
constexpr const char* kSlowMilliseconds = "20";

bool is_there(const char* path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

const char* disk_folder() {
  return is_there("/mnt/fast") ? "/mnt/fast" : "/var/tmp";
}

bool has_file_system(const char* folder, long magic) {
  struct statfs about{};
  return ::statfs(folder, &about) == 0 && about.f_type == magic;
}

bool uses(const TestCase& test, std::string_view variable) {
  const auto names_it = [&](const std::string& line) { return line.contains(variable); };
  return std::ranges::any_of(test.setup, names_it) || names_it(test.workload) ||
         names_it(test.command) || std::ranges::any_of(test.after, names_it) ||
         std::ranges::any_of(test.expectations, names_it);
}

}  // namespace

bool has_slow_disk() {
  return is_there("/mnt/slow") && is_there("/sys/block/slow");
}

bool has_ext4() {
  return has_file_system(disk_folder(), EXT4_SUPER_MAGIC);
}

bool has_xfs() {
  return has_file_system("/mnt/xfs", XFS_SUPER_MAGIC);
}

Result<std::vector<TemporaryFolder>> make_disk_folders(const TestCase& test, Variables& variables) {
  struct Place {
    const char* variable;
    const char* parent;
  };
  const std::array places{Place{.variable = "disk_dir", .parent = disk_folder()},
                          Place{.variable = "slow_dir", .parent = "/mnt/slow"},
                          Place{.variable = "xfs_dir", .parent = "/mnt/xfs"}};
  std::vector<TemporaryFolder> folders;
  for (const Place& place : places) {
    if (!uses(test, std::string("{") + place.variable + "}")) continue;
    folders.push_back(TRY(TemporaryFolder::create(place.parent)));
    variables[place.variable] = folders.back().path();
  }
  if (has_slow_disk()) {
    variables["slow_disk"] = "slow";
    variables["slow_ms"] = kSlowMilliseconds;
  }
  return folders;
}

}  // namespace wick::test
