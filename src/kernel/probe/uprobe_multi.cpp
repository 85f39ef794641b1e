#include "kernel/probe/uprobe_multi.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "kernel/trial.h"

namespace wick {

Fd create_uprobe_multi(const UprobeMultiAttr& attr) {
  return Fd(static_cast<int>(::syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr))));
}

int uprobe_multi_trial() {
  const auto program =
      feature::load_nothing({.type = BPF_PROG_TYPE_KPROBE, .attach_type = kUprobeMulti});
  if (!program) return program.error().code;
  const u64 offset = 0;
  const Fd link = create_uprobe_multi({.prog_fd = static_cast<u32>(program->get()),
                                       .path = reinterpret_cast<u64>("/"),
                                       .offsets = reinterpret_cast<u64>(&offset),
                                       .count = 1});
  // A folder is no program: who says EBADF has looked.
  return errno == EBADF ? 0 : errno;
}

}  // namespace wick
