// Capabilities, and what else decides whether they count.
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>

#include "base/capabilities.h"
#include "base/text.h"
#include "kernel/features/feature_probes.h"

namespace wick {
namespace {

struct CapabilityUse {
  int number;
  std::string_view name;
  std::string_view gives;
};

constexpr std::array kCapabilities{
    CapabilityUse{CAP_BPF, "CAP_BPF", "loading BPF programs"},
    CapabilityUse{CAP_PERFMON, "CAP_PERFMON", "sampling other users and the kernel"},
    CapabilityUse{CAP_SYS_PTRACE, "CAP_SYS_PTRACE", "names in other users' processes"},
    CapabilityUse{CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH",
                  "names in programs that others may not read"},
    CapabilityUse{CAP_SYSLOG, "CAP_SYSLOG", "names of kernel functions"},
    CapabilityUse{CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE",
                  "names in programs deleted or replaced since they started"},
    CapabilityUse{CAP_SYS_ADMIN, "CAP_SYS_ADMIN",
                  "tracepoints without a mounted tracefs; uprobes on some kernels"},
};

// The few that serve, instead of all that root has; for a group, since whoever may run such a
// program sees every process. chgrp first: it takes capabilities away.
constexpr std::string_view kGiveCapabilities =
    "run as root, or for the members of a group: groupadd -r wick; f=$(command -v wick); "
    "chgrp wick $f && chmod 0750 $f && setcap cap_bpf,cap_perfmon,cap_sys_ptrace,"
    "cap_dac_read_search,cap_syslog,cap_checkpoint_restore=ep $f";

bool holds(u64 set, int capability) {
  return ((set >> static_cast<unsigned>(capability)) & 1U) != 0;
}

// Capabilities of a user namespace are worth nothing to bpf(2) and perf.
bool in_user_namespace() {
  const auto map = read_file("/proc/self/uid_map");
  if (!map) return false;
  std::vector<std::string_view> numbers;
  for (const std::string_view word : split(trim(*map), ' ')) {
    if (!word.empty()) numbers.push_back(word);
  }
  return numbers.size() != 3 || numbers[0] != "0" || numbers[1] != "0" ||
         numbers[2] != "4294967295";
}

constexpr const char* kOwnProgram = "/proc/self/exe";

bool has_file_capabilities() {
  return ::getxattr(kOwnProgram, "security.capability", nullptr, 0) > 0;
}

bool anyone_may_run() {
  struct stat info{};
  return ::stat(kOwnProgram, &info) == 0 && (info.st_mode & S_IXOTH) != 0;
}

// Two in one sentence, as people need them together.
std::string missing_capabilities() {
  const bool bpf = has_capability(CAP_BPF);
  const bool perfmon = has_capability(CAP_PERFMON);
  if (bpf && perfmon) return {};
  if (!bpf && !perfmon) return "needs CAP_PERFMON and CAP_BPF, or root";
  return fmt::format("needs {} too, or root", bpf ? "CAP_PERFMON" : "CAP_BPF");
}

}  // namespace

bool has_capability(int capability) {
  const u64 set = own_capabilities().permitted;  // some are in use only where they serve
  const bool split_off =
      capability == CAP_BPF || capability == CAP_PERFMON || capability == CAP_CHECKPOINT_RESTORE;
  return holds(set, capability) || (split_off && holds(set, CAP_SYS_ADMIN));
}

std::string missing_privilege() {
  std::string missing = missing_capabilities();
  if (!missing.empty()) return missing;
  const auto program = feature::load_nothing({.type = BPF_PROG_TYPE_PERF_EVENT});
  if (program || (program.error().code != EPERM && program.error().code != EACCES)) return {};
  if (in_user_namespace()) {
    return "the capabilities are those of a user namespace, which do not count for BPF: run it "
           "outside of the container, or in a privileged one";
  }
  return "CAP_BPF and CAP_PERFMON are there, but bpf(2) is refused: a container's system call "
         "filter does that (docker: --security-opt seccomp=unconfined), or a security module";
}

namespace feature {

std::vector<Feature> probe_privileges() {
  std::vector<Feature> features;
  for (const CapabilityUse& use : kCapabilities) {
    const bool held = has_capability(use.number);
    features.push_back({.group = FeatureGroup::privilege,
                        .name = use.name,
                        .gives = use.gives,
                        .available = held,
                        .way_out = held ? "" : std::string(kGiveCapabilities)});
  }
  if (has_file_capabilities() && anyone_may_run()) {
    features.push_back({.group = FeatureGroup::privilege,
                        .name = "program of a group",
                        .gives = "not every user sees all processes",
                        .available = false,
                        .detail = "this program has capabilities, and everyone may run it",
                        .way_out = std::string(kGiveCapabilities)});
  }
  if (in_user_namespace()) {
    features.push_back({.group = FeatureGroup::privilege,
                        .name = "first user namespace",
                        .gives = "capabilities count for BPF",
                        .available = false,
                        .detail = "this is a user namespace: its root is not the machine's",
                        .way_out = "run it on the host, or in a privileged container"});
  }
  return features;
}

}  // namespace feature
}  // namespace wick
