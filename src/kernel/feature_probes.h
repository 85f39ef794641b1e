// The parts of features.h, one file each. Only feature*.cpp includes this.
#pragma once

#include <linux/bpf.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "kernel/features.h"

namespace wick::feature {

std::vector<Feature> probe_privileges();   // feature_privileges.cpp
std::vector<Feature> probe_settings();     // feature_settings.cpp
std::vector<Feature> probe_bpf();          // feature_bpf.cpp
std::vector<Feature> probe_events();       // feature_events.cpp
std::vector<Feature> probe_trampolines();  // feature_trampolines.cpp: what needs the kernel's BTF

using OptionNames = std::vector<std::string_view>;

// feature_config.cpp: which of `options` the kernel was built without, as far as /proc/config.gz or
// /boot/config-RELEASE tell: "CONFIG_KPROBES is not set". "" when all are there or nobody knows.
std::string unset_options(const OptionNames& options);
// The words in `text`, a kernel configuration; for tests.
std::string unset_options_in(std::string_view config, const OptionNames& options);

// feature_bpf.cpp: loads "return 0" as a program of that kind.
struct ProgramKind {
  bpf_prog_type type = BPF_PROG_TYPE_UNSPEC;
  u32 attach_type = 0;
  u32 attach_btf_id = 0;
};
Result<Fd> load_nothing(ProgramKind kind);

// The outcome of one trial, in the words of the errno.
std::string answer(std::string_view call, int code);

// "needs CONFIG_A and CONFIG_B" with what is known to be unset in the detail.
void explain_by_options(Feature& feature, const OptionNames& options, std::string_view instead);

}  // namespace wick::feature
