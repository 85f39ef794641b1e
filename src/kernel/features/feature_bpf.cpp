// What bpf(2) itself offers: kinds of programs and maps, helpers, batches.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "kernel/features/feature_probes.h"

namespace wick::feature {
namespace {

Feature program_feature(std::string_view name, std::string_view gives, bpf_prog_type type) {
  Feature feature{.group = FeatureGroup::bpf, .name = name, .gives = gives};
  const auto program = load_nothing({.type = type});
  feature.available = program.has_value();
  if (!program) {
    feature.detail = answer("load", program.error().code);
    explain_by_options(feature, {"CONFIG_BPF_EVENTS", "CONFIG_PERF_EVENTS"}, "");
  }
  return feature;
}

Feature map_feature(std::string_view name, std::string_view gives, bpf_map_type type,
                    std::string_view since) {
  Feature feature{.group = FeatureGroup::bpf, .name = name, .gives = gives};
  const int outcome = libbpf_probe_bpf_map_type(type, nullptr);
  feature.available = outcome > 0;
  if (!feature.available) {
    feature.detail = outcome < 0 ? answer("create map", -outcome) : "this kernel does not know it";
    feature.way_out = fmt::format("came with Linux {}", since);
  }
  return feature;
}

Feature helper_feature(std::string_view name, std::string_view gives, bpf_func_id helper,
                       std::string_view since) {
  Feature feature{.group = FeatureGroup::bpf, .name = name, .gives = gives};
  const int outcome = libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, helper, nullptr);
  feature.available = outcome > 0;
  if (!feature.available) {
    feature.detail = outcome < 0 ? answer("load", -outcome) : "this kernel does not know it";
    feature.way_out = fmt::format("came with Linux {}", since);
  }
  return feature;
}

// An empty map answers a batch read with ENOENT; a kernel that knows no batches, with EINVAL.
Feature probe_batches() {
  Feature feature{
      .group = FeatureGroup::bpf, .name = "map batches", .gives = "counters read many in one call"};
  const Fd map(
      bpf_map_create(BPF_MAP_TYPE_HASH, "wick_probe", sizeof(u32), sizeof(u64), 1, nullptr));
  if (!map.valid()) {
    feature.detail = answer("create map", errno);
    return feature;
  }
  u32 next = 0;
  u32 key = 0;
  u64 value = 0;
  u32 count = 1;
  const int outcome =
      bpf_map_lookup_batch(map.get(), nullptr, &next, &key, &value, &count, nullptr);
  feature.available = outcome == 0 || errno == ENOENT;
  if (!feature.available) {
    feature.detail = answer("batch", errno);
    feature.way_out = "came with Linux 5.6";
  }
  return feature;
}

Feature probe_bpf_call() {
  Feature feature{.group = FeatureGroup::bpf,
                  .name = "perf_event programs",
                  .gives = "counting stacks in the kernel",
                  .required = true};
  const auto program = load_nothing({.type = BPF_PROG_TYPE_PERF_EVENT});
  feature.available = program.has_value();
  if (program) return feature;
  feature.detail = answer("bpf(2)", program.error().code);
  if (program.error().code == ENOSYS) {
    explain_by_options(feature, {"CONFIG_BPF_SYSCALL"}, "");
  } else if (std::string missing = missing_privilege(); !missing.empty()) {
    feature.way_out = std::move(missing);
  } else {
    explain_by_options(feature, {"CONFIG_BPF_SYSCALL", "CONFIG_BPF_EVENTS", "CONFIG_PERF_EVENTS"},
                       "");
  }
  return feature;
}

}  // namespace

std::string answer(std::string_view call, int code) {
  return fmt::format("{}: {}", call, std::strerror(code));
}

void explain_by_options(Feature& feature, const OptionNames& options, std::string_view instead) {
  const std::string unset = unset_options(options);
  if (!unset.empty())
    feature.detail += fmt::format("{}{}", feature.detail.empty() ? "" : "; ", unset);
  feature.way_out = fmt::format("a kernel with {}", fmt::join(options, ", "));
  if (!instead.empty()) feature.way_out += fmt::format("; {}", instead);
}

std::vector<Feature> probe_bpf() {
  std::vector<Feature> features{probe_bpf_call()};
  // Without bpf(2) every other answer would be the same, and libbpf's probes take EPERM for a yes.
  if (!features[0].available) return features;
  features.push_back(program_feature("raw tracepoints", "events of the scheduler, blocks, network",
                                     BPF_PROG_TYPE_RAW_TRACEPOINT));
  features.push_back(map_feature("ring buffer", "events in order, without loss by CPU",
                                 BPF_MAP_TYPE_RINGBUF, "5.8"));
  features.push_back(map_feature("task storage", "start times kept with each thread",
                                 BPF_MAP_TYPE_TASK_STORAGE, "5.11"));
  features.push_back(probe_batches());
  features.push_back(
      helper_feature("bpf_loop", "unwinding without frame pointers", BPF_FUNC_loop, "5.17"));
  return features;
}

}  // namespace wick::feature
