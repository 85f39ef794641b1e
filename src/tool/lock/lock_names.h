// LockNames: what locks of a process are called: by the variable that covers the address. Keeps the
// files of the process open, so that names are found after it ended. One thread.
//
//   LockNames names;
//   names.watch(pid);                                  // early; again later for what was loaded
//   since names.resolve(pid, addresses)[0]                   // "bank::ledger+0x18", or ""
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "object/elf_file.h"
#include "proc/process_root.h"

namespace wick {

class LockNames {
 public:
  void watch(u32 pid);
  [[nodiscard]] std::vector<std::string> resolve(u32 pid, std::span<const u64> addresses) const;

 private:
  struct Image {
    u64 inode = 0;
    std::string path;
    ProcessRoot root;
    std::shared_ptr<const ElfFile> elf;
    u64 bias = 0;   // address - vaddr
    u64 start = 0;  // of its memory, with what no file covers (.bss)
    u64 end = 0;
  };
  std::unordered_map<u32, std::vector<Image>> images_;  // by PID
};

}  // namespace wick
