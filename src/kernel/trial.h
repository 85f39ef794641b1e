// What the kernel can do, found by trying, and what its configuration says of why not. Any thread.
//
//   if (!feature::load_nothing({.type = BPF_PROG_TYPE_KPROBE})) …
#pragma once

#include <linux/bpf.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick::feature {

using OptionNames = std::vector<std::string_view>;

// Which of `options` the kernel was built without, as far as /proc/config.gz or
// /boot/config-RELEASE tell: "CONFIG_KPROBES is not set". "" when all are there or nobody knows.
std::string unset_options(const OptionNames& options);
// The words in `text`, a kernel configuration; for tests.
std::string unset_options_in(std::string_view config, const OptionNames& options);

// Loads "return 0" as a program of that kind.
struct ProgramKind {
  bpf_prog_type type = BPF_PROG_TYPE_UNSPEC;
  u32 attach_type = 0;
  u32 attach_btf_id = 0;
};
Result<Fd> load_nothing(ProgramKind kind);

}  // namespace wick::feature
