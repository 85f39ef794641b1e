// Disks by the kernel's number and by name, from sysfs; what requests are marked with, in words.
// Thread rule: free functions, no state.
//
//   u32 disk = TRY(disk_number("nvme0n1p2"));      // that of nvme0n1: requests know whole disks
//   disk_name(disk);                               // "nvme0n1"
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

// major << 20 | minor, as the kernel has it. By name, with /dev/ or without, or "254:0".
[[nodiscard]] Result<u32> disk_number(std::string_view name);
// "254:0" when it is gone, "unnamed" for 0.
[[nodiscard]] std::string disk_name(u32 number);

// The two halves of a number.
[[nodiscard]] constexpr u32 disk_major(u32 number) {
  return number >> 20U;
}
[[nodiscard]] constexpr u32 disk_minor(u32 number) {
  return number & 0xFFFFFU;
}

// Names of many requests: each is looked up once a second at most, and known for a while when the
// disk is gone. One thread.
class DiskNames {
 public:
  [[nodiscard]] const std::string& of(u32 number);

 private:
  struct Known {
    std::string name;
    u64 looked_ns = 0;
  };
  std::map<u32, Known> known_;
};

// bcc's words for a request's cmd_flags: "ForcedUnitAccess-Sync-Write".
[[nodiscard]] std::string request_flags_text(u32 flags);

}  // namespace wick
