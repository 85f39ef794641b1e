// Uprobes: BPF programs at places in a file's code, in one process or in all that map it. Many at
// once where the kernel can (uprobe_multi), else one perf event each. They go with this object.
//
//   auto uprobes = Uprobes::prepare({skeleton.progs.on_lock, skeleton.progs.on_unlock}, pid);
//   TRY(bpf.load());                                         // between the two
//   TRY(uprobes.attach({.program = …, .path = "/proc/self/fd/7", .offsets = {0x8c37e},
//                       .cookies = {1}}));
//
// One thread.
#pragma once

#include <bpf/libbpf.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "kernel/skeleton.h"

namespace wick {

struct UprobePlaces {
  bpf_program* program = nullptr;
  std::string path;          // any name of the file, /proc/self/fd/N too
  std::vector<u64> offsets;  // in the file
  std::vector<u64> cookies;  // as many: what bpf_get_attach_cookie() tells the program
  bool at_return =
      false;  // when the function ends; its place must still have the caller's stack pointer
};

class Uprobes {
 public:
  // Before the load: how the programs will be attached is part of them. `pid` 0: all processes.
  [[nodiscard]] static Uprobes prepare(std::span<bpf_program* const> programs, u32 pid);

  [[nodiscard]] Status attach(const UprobePlaces& places);
  [[nodiscard]] std::size_t count() const { return count_; }
  void detach();

 private:
  Uprobes(u32 pid, bool multi) : pid_(pid), multi_(multi) {}
  [[nodiscard]] Status attach_multi(const UprobePlaces& places);
  [[nodiscard]] Status attach_one(const UprobePlaces& places, std::size_t index);

  u32 pid_;
  bool multi_;
  std::size_t count_ = 0;
  std::vector<Fd> multi_links_;
  std::vector<Link> links_;
};

}  // namespace wick
