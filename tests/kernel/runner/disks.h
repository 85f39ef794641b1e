// Where a test finds disks: natively the disk of /var/tmp, in the VM those of tests/vm/disks.
//
//   {disk_dir}   an empty folder on a real disk's file system      {slow_disk}  "slow", of
//   /sys/block {slow_dir}   one on the slow disk                              {slow_ms}    what it
//   takes for a request {xfs_dir}    one on an xfs
#pragma once

#include <vector>

#include "base/result.h"
#include "temporary_folder.h"
#include "test_case.h"

namespace wick::test {

[[nodiscard]] bool has_slow_disk();
[[nodiscard]] bool has_ext4();  // {disk_dir} is on one
[[nodiscard]] bool has_xfs();

// The folders are made only where a line of the test names them, and are gone with the result.
[[nodiscard]] Result<std::vector<TemporaryFolder>> make_disk_folders(const TestCase& test,
                                                                     Variables& variables);

}  // namespace wick::test
