// What this kernel lets this process do, found by trying: a version number says neither what a
// distribution configured nor what a container allows. `wick doctor` prints it; commands ask the
// short questions at the end when something failed.
// Thread rule: probe from one thread; nothing stays loaded, attached or open.
//
//   for (const Feature& feature : probe_features())
//     if (!feature.available) say(feature.name, feature.detail, feature.way_out);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace wick {

enum class FeatureGroup : u8 { privilege, setting, bpf, hook };

struct Feature {
  FeatureGroup group = FeatureGroup::bpf;
  std::string_view name;   // "fentry", "CAP_BPF"
  std::string_view gives;  // what it is good for, in a few words
  bool available = false;
  bool required = false;  // `wick profile` of the whole system cannot work without
  std::string detail;     // what the kernel answered
  std::string way_out;    // empty when available and nothing is to be said
};

// About 30 ms, most of it for reading the kernel's BTF.
[[nodiscard]] std::vector<Feature> probe_features();
[[nodiscard]] std::string_view group_title(FeatureGroup group);

// Whether every required one is there.
[[nodiscard]] bool can_profile(const std::vector<Feature>& features);

[[nodiscard]] bool has_btf();
[[nodiscard]] bool has_hardware_pmu();

// What this process lacks to load and attach BPF programs: "" when nothing, else "needs CAP_PERFMON
// and CAP_BPF, or root", or what else stands in the way (a container's system call filter).
[[nodiscard]] std::string missing_privilege();

// CAP_BPF and the like by number (linux/capability.h), held, in use or not. CAP_SYS_ADMIN stands
// for CAP_BPF, CAP_PERFMON and CAP_CHECKPOINT_RESTORE, as it does in the kernel.
[[nodiscard]] bool has_capability(int capability);

}  // namespace wick
