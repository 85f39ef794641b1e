#include "tool/hooks.h"

#include <fmt/format.h>

#include <vector>

#include "kernel/function_hooks.h"
#include "kernel/typed_programs.h"

namespace wick {
namespace {

constexpr std::array kKinds{HookKind::fentry, HookKind::kprobe, HookKind::tracepoint};

std::optional<HookKind> kind_of(const bpf_program* program) {
  const std::string_view section = bpf_program__section_name(program);
  if (section.starts_with("wick_fentry") || section.starts_with("wick_fexit"))
    return HookKind::fentry;
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
    return {HookKind::tracepoint, HookKind::fentry, HookKind::kprobe};
  return kKinds;
}

Result<std::optional<HookKind>> asked_kind(const std::optional<std::string>& asked) {
  if (!asked) return std::nullopt;
  for (const HookKind kind : kKinds)
    if (*asked == hook_name(kind)) return kind;
  return fail_usage(fmt::format("--hooks {}: no such kind", printable(*asked)),
                    "give fentry, kprobe or tracepoint");
}

}  // namespace

std::string_view hook_name(HookKind kind) {
  return std::array<std::string_view, kKinds.size()>{"fentry", "kprobe",
                                                     "tracepoint"}[static_cast<std::size_t>(kind)];
}

Result<std::optional<HookKind>> choose_hooks(bpf_object* object,
                                             const std::optional<std::string>& asked) {
  const std::optional<HookKind> wanted = TRY(asked_kind(asked));
  const ByKind programs = programs_by_kind(object);
  if (programs[0].empty() && programs[1].empty()) return std::nullopt;
  std::optional<HookKind> chosen;
  for (const HookKind kind : in_order(programs))
    if (!chosen && (!wanted || kind == *wanted) &&
        works(kind, programs[static_cast<std::size_t>(kind)]))
      chosen = kind;
  if (!chosen && wanted)
    return fail(fmt::format("--hooks {}: not on this kernel, or not for this command", *asked));
  if (!chosen)
    return fail("this kernel lets nobody hook its functions, and no tracepoint tells the same",
                missing_function_hooks());
  for (const HookKind kind : kKinds)
    for (bpf_program* program : programs[static_cast<std::size_t>(kind)])
      if (kind != *chosen) bpf_program__set_autoload(program, false);
  return chosen;
}

}  // namespace wick
