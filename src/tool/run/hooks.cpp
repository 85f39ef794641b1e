#include "tool/run/hooks.h"

#include <fmt/format.h>

#include <vector>

#include "kernel/function_hooks.h"
#include "kernel/kprobe_multi.h"
#include "kernel/typed_programs.h"
#include "symbols/kernel_functions.h"

namespace wick {
namespace {

// The best first.
constexpr std::array kKinds{HookKind::fentry, HookKind::kprobe_multi, HookKind::kprobe,
                            HookKind::tracepoint};

std::optional<HookKind> kind_of(const bpf_program* program) {
  const std::string_view section = bpf_program__section_name(program);
  if (section.starts_with("wick_fentry") || section.starts_with("wick_fexit"))
    return HookKind::fentry;
  if (section.ends_with("probe.multi")) return HookKind::kprobe_multi;
  if (section.starts_with("kprobe") || section.starts_with("kretprobe")) return HookKind::kprobe;
  const std::string_view name = bpf_program__name(program);
  if (name.starts_with("instead_") || name.starts_with("rather_")) return HookKind::tracepoint;
  return std::nullopt;
}

using ByKind = std::array<std::vector<bpf_program*>, kKinds.size()>;

ByKind programs_by_kind(bpf_object* object) {
  ByKind out;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    if (!bpf_program__autoload(program)) continue;
    if (const auto kind = kind_of(program)) out[static_cast<std::size_t>(*kind)].push_back(program);
  }
  return out;
}

bool works(HookKind kind, const std::vector<bpf_program*>& programs) {
  if (programs.empty()) return false;
  if (kind == HookKind::kprobe) return can_kprobe();
  if (kind == HookKind::kprobe_multi) return can_kprobe_multi();
  // One that is not in the BTF cannot be hooked so; then all of them go by the next kind.
  for (const bpf_program* program : programs)
    if (function_type_id(program) == 0) return false;
  return kind == HookKind::tracepoint || can_fentry(function_type_id(programs.front()));
}

// Best first. Tracepoints that tell the same as the functions go before them: they are cheaper.
std::array<HookKind, kKinds.size()> in_order(const ByKind& programs) {
  const auto& tracepoints = programs[static_cast<std::size_t>(HookKind::tracepoint)];
  if (!tracepoints.empty() &&
      std::string_view{bpf_program__name(tracepoints.front())}.starts_with("rather_"))
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

bool is_on_function(const bpf_program* program) {
  const auto kind = kind_of(program);
  return (kind == HookKind::fentry || kind == HookKind::kprobe) && !is_for_many(program);
}

}  // namespace

std::string_view hook_name(HookKind kind) {
  constexpr std::array<std::string_view, kKinds.size()> kNames{"fentry", "kprobe.multi", "kprobe",
                                                               "tracepoint"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<std::optional<HookKind>> choose_hooks(bpf_object* object,
                                             const std::optional<std::string>& asked) {
  const std::optional<HookKind> wanted = TRY(asked_kind(asked));
  const ByKind programs = programs_by_kind(object);
  const auto of = [&](HookKind kind) -> const auto& {
    return programs[static_cast<std::size_t>(kind)];
  };
  if (of(HookKind::fentry).empty() && of(HookKind::kprobe).empty()) return std::nullopt;
  std::optional<HookKind> chosen;
  for (const HookKind kind : in_order(programs))
    if (!chosen && (!wanted || kind == *wanted) && works(kind, of(kind))) chosen = kind;
  if (!chosen && wanted)
    return fail(fmt::format("--hooks {}: not on this kernel, or not for this command", *asked));
  if (!chosen) return no_function_hooks();
  for (const HookKind kind : kKinds)
    for (bpf_program* program : of(kind))
      if (kind != *chosen) bpf_program__set_autoload(program, false);
  return chosen;
}

Status need_function_hooks() {
  if (!can_kprobe()) return no_function_hooks();
  return {};
}

Result<std::set<std::string>> leave_out_missing_functions(bpf_object* object) {
  std::set<std::string> missing;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    if (is_on_function(program) && function_type_id(program) == 0)
      missing.insert(function_of(program));
  }
  if (missing.empty()) return missing;
  // Of a module, then: its functions are not in the kernel's own BTF.
  const auto there = TRY(find_kernel_functions(
      [&](std::string_view name) { return missing.contains(std::string(name)); }));
  for (const KernelFunction& function : there) missing.erase(function.name);
  bpf_object__for_each_program(program, object) {
    if (is_on_function(program) && missing.contains(function_of(program)))
      bpf_program__set_autoload(program, false);
  }
  return missing;
}

}  // namespace wick
