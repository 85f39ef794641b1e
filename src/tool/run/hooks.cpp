#include "tool/run/hooks.h"

#include <fmt/format.h>

#include <vector>

#include "kernel/probe/function_hooks.h"
#include "kernel/probe/kprobe_multi.h"
#include "symbols/kernel_functions.h"

namespace wick {
namespace {

// The best first.
constexpr std::array kKinds{HookKind::fentry, HookKind::kprobe_multi, HookKind::kprobe,
                            HookKind::tracepoint};

std::optional<HookKind> kind_of(const ProbeSpec& probe) {
  switch (probe.kind) {
    case ProbeKind::fentry:
    case ProbeKind::fexit:
      return HookKind::fentry;
    case ProbeKind::kprobe_multi:
    case ProbeKind::kretprobe_multi:
      return HookKind::kprobe_multi;
    case ProbeKind::kprobe:
    case ProbeKind::kretprobe:
      return HookKind::kprobe;
    default:
      break;
  }
  if (probe.program.starts_with("instead_") || probe.program.starts_with("rather_"))
    return HookKind::tracepoint;
  return std::nullopt;
}

bool is_to_be_loaded(const BpfObject& object, const ProbeSpec& probe) {
  const bpf_program* program = object.find_program(probe.program.c_str());
  return program != nullptr && bpf_program__autoload(program);
}

using ByKind = std::array<std::vector<const ProbeSpec*>, kKinds.size()>;

ByKind probes_by_kind(const BpfObject& object) {
  ByKind out;
  for (const ProbeSpec& probe : object.probes())
    if (const auto kind = kind_of(probe); kind && is_to_be_loaded(object, probe))
      out[static_cast<std::size_t>(*kind)].push_back(&probe);
  return out;
}

bool works(BpfObject& object, HookKind kind, const std::vector<const ProbeSpec*>& probes) {
  if (probes.empty()) return false;
  if (kind == HookKind::kprobe) return can_kprobe();
  if (kind == HookKind::kprobe_multi) return can_kprobe_multi();
  // One that is not in the BTF cannot be hooked so; then all of them go by the next kind.
  for (const ProbeSpec* probe : probes)
    if (object.type_id(*probe) == 0) return false;
  return kind == HookKind::tracepoint || can_fentry(object.type_id(*probes.front()));
}

// Best first. Tracepoints that tell the same as the functions go before them: they are cheaper.
std::array<HookKind, kKinds.size()> in_order(const ByKind& probes) {
  const auto& tracepoints = probes[static_cast<std::size_t>(HookKind::tracepoint)];
  if (!tracepoints.empty() && tracepoints.front()->program.starts_with("rather_"))
    return {HookKind::tracepoint, HookKind::fentry, HookKind::kprobe_multi, HookKind::kprobe};
  return kKinds;
}

Result<std::optional<HookKind>> asked_kind(const std::optional<std::string>& asked) {
  if (!asked) return std::nullopt;
  for (const HookKind kind : kKinds)
    if (*asked == hook_name(kind)) return kind;
  return fail_usage(fmt::format("--hooks {}: no such kind", printable(*asked)),
                    "give fentry, kprobe.multi, kprobe or tracepoint");
}

std::unexpected<Error> no_function_hooks() {
  return fail("this kernel lets nobody hook its functions, and no tracepoint tells the same",
              missing_function_hooks());
}

bool is_on_function(const ProbeSpec& probe) {
  const auto kind = kind_of(probe);
  return (kind == HookKind::fentry || kind == HookKind::kprobe) && !probe.is_for_many();
}

void leave_out(const BpfObject& object, const ProbeSpec& probe) {
  bpf_program__set_autoload(object.find_program(probe.program.c_str()), false);
}

}  // namespace

std::string_view hook_name(HookKind kind) {
  constexpr std::array<std::string_view, kKinds.size()> kNames{"fentry", "kprobe.multi", "kprobe",
                                                               "tracepoint"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<std::optional<HookKind>> choose_hooks(BpfObject& object,
                                             const std::optional<std::string>& asked) {
  const std::optional<HookKind> wanted = TRY(asked_kind(asked));
  const ByKind probes = probes_by_kind(object);
  const auto of = [&](HookKind kind) -> const auto& {
    return probes[static_cast<std::size_t>(kind)];
  };
  if (of(HookKind::fentry).empty() && of(HookKind::kprobe).empty()) return std::nullopt;
  std::optional<HookKind> chosen;
  for (const HookKind kind : in_order(probes))
    if (!chosen && (!wanted || kind == *wanted) && works(object, kind, of(kind))) chosen = kind;
  if (!chosen && wanted)
    return fail(fmt::format("--hooks {}: not on this kernel, or not for this command", *asked));
  if (!chosen) return no_function_hooks();
  for (const HookKind kind : kKinds)
    for (const ProbeSpec* probe : of(kind))
      if (kind != *chosen) leave_out(object, *probe);
  return chosen;
}

Status need_function_hooks() {
  if (!can_kprobe()) return no_function_hooks();
  return {};
}

Result<std::set<std::string>> leave_out_missing_functions(BpfObject& object) {
  std::set<std::string> missing;
  for (const ProbeSpec& probe : object.probes())
    if (is_on_function(probe) && object.type_id(probe) == 0) missing.insert(probe.target);
  if (missing.empty()) return missing;
  // Of a module, then: its functions are not in the kernel's own BTF.
  const auto there = TRY(find_kernel_functions(
      [&](std::string_view name) { return missing.contains(std::string(name)); }));
  for (const KernelFunction& function : there) missing.erase(function.name);
  for (const ProbeSpec& probe : object.probes())
    if (is_on_function(probe) && missing.contains(probe.target)) leave_out(object, probe);
  return missing;
}

}  // namespace wick
