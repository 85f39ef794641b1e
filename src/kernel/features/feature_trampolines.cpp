// Programs that name their target by the kernel's BTF: tp_btf, fentry, iter/task.
#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/btf.h>

#include "kernel/btf/owned_btf.h"
#include "kernel/features/feature_probes.h"

namespace wick::feature {
namespace {

u32 find_function(const btf* types, const char* name) {
  const int id = btf__find_by_name_kind(types, name, BTF_KIND_FUNC);
  return id > 0 ? static_cast<u32>(id) : 0;
}

Feature probe_tp_btf(const btf* types) {
  Feature feature{.group = FeatureGroup::hook,
                  .name = "tp_btf",
                  .gives = "tracepoints with their kernel types"};
  const int id = btf__find_by_name_kind(types, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
  const auto program = load_nothing({.type = BPF_PROG_TYPE_TRACING,
                                     .attach_type = BPF_TRACE_RAW_TP,
                                     .attach_btf_id = id > 0 ? static_cast<u32>(id) : 0});
  feature.available = program.has_value();
  if (!program) {
    feature.detail = answer("load", program.error().code);
    explain_by_options(feature, {"CONFIG_BPF_EVENTS", "CONFIG_DEBUG_INFO_BTF"},
                       "raw tracepoints serve instead");
  }
  return feature;
}

// Loading asks the verifier, attaching the machinery that patches the function. bpf_fentry_test1 is
// called by nobody but the kernel's own test, so a probe on it costs no one anything.
Feature probe_fentry(const btf* types) {
  Feature feature{
      .group = FeatureGroup::hook, .name = "fentry", .gives = "entry and exit of kernel functions"};
  const OptionNames options = {"CONFIG_FUNCTION_TRACER", "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS",
                               "CONFIG_DEBUG_INFO_BTF", "CONFIG_BPF_JIT"};
  constexpr std::string_view kInstead = "tracepoints and kprobes serve instead where they can";
  const auto program = load_nothing({.type = BPF_PROG_TYPE_TRACING,
                                     .attach_type = BPF_TRACE_FENTRY,
                                     .attach_btf_id = find_function(types, "bpf_fentry_test1")});
  if (!program) {
    feature.detail = answer("load", program.error().code);
    if (program.error().code == EPERM && unset_options(options).empty()) {
      // Seen on a hardened 6.18: no word from the verifier, and everything configured.
      feature.detail += ", though this process may load other programs: a policy of this kernel";
      feature.way_out = fmt::format("another kernel; {}", kInstead);
    } else {
      explain_by_options(feature, options, kInstead);
    }
    return feature;
  }
  const Fd link(bpf_raw_tracepoint_open(nullptr, program->get()));
  feature.available = link.valid();
  if (!feature.available) {
    feature.detail = answer("attach", errno);
    explain_by_options(feature, options, kInstead);
  }
  return feature;
}

Feature probe_task_iterator(const btf* types) {
  Feature feature{.group = FeatureGroup::hook,
                  .name = "iter/task",
                  .gives = "the stacks of all threads at one moment"};
  const auto program = load_nothing({.type = BPF_PROG_TYPE_TRACING,
                                     .attach_type = BPF_TRACE_ITER,
                                     .attach_btf_id = find_function(types, "bpf_iter_task")});
  feature.available = program.has_value();
  if (!program) {
    feature.detail = answer("load", program.error().code);
    feature.way_out = "came with Linux 5.8";
  }
  return feature;
}

}  // namespace

std::vector<Feature> probe_trampolines() {
  const OwnedBtf types(btf__load_vmlinux_btf());
  if (!types) {
    return {{.group = FeatureGroup::hook,
             .name = "tp_btf, fentry, iter/task",
             .gives = "hooks by kernel type",
             .detail = "the kernel's BTF cannot be read",
             .way_out = "a kernel with CONFIG_DEBUG_INFO_BTF"}};
  }
  return {probe_tp_btf(types.get()), probe_fentry(types.get()), probe_task_iterator(types.get())};
}

}  // namespace wick::feature
