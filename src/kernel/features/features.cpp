#include "kernel/features/features.h"

#include <algorithm>
#include <iterator>

#include "kernel/features/feature_probes.h"
#include "kernel/load_error.h"

namespace wick {
namespace {

void append(std::vector<Feature>& all, std::vector<Feature> more) {
  std::ranges::move(more, std::back_inserter(all));
}

}  // namespace

std::vector<Feature> probe_features() {
  silence_libbpf();
  std::vector<Feature> all = feature::probe_privileges();
  append(all, feature::probe_settings());
  std::vector<Feature> bpf = feature::probe_bpf();
  const bool bpf_works = bpf.front().available;
  append(all, std::move(bpf));
  append(all, feature::probe_events());
  // Without bpf(2) they would all say so again.
  if (bpf_works) append(all, feature::probe_trampolines());
  return all;
}

std::string_view group_title(FeatureGroup group) {
  switch (group) {
    case FeatureGroup::privilege:
      return "Privileges of this process";
    case FeatureGroup::setting:
      return "Settings of this machine";
    case FeatureGroup::bpf:
      return "BPF";
    case FeatureGroup::hook:
      return "Hooks";
  }
  return "";
}

bool can_profile(const std::vector<Feature>& features) {
  return std::ranges::all_of(
      features, [](const Feature& feature) { return feature.available || !feature.required; });
}

}  // namespace wick
