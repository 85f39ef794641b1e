#include "kernel/probe/probe_spec.h"

#include <algorithm>
#include <array>

namespace wick {
namespace {

struct SectionKind {
  std::string_view prefix;
  ProbeKind kind;
};
constexpr std::array kSectionKinds{
    SectionKind{"wick_tp", ProbeKind::typed_tracepoint},
    SectionKind{"tp_btf", ProbeKind::typed_tracepoint},
    SectionKind{"wick_fentry", ProbeKind::fentry},
    SectionKind{"fentry", ProbeKind::fentry},
    SectionKind{"wick_fexit", ProbeKind::fexit},
    SectionKind{"fexit", ProbeKind::fexit},
    SectionKind{"wick_iter", ProbeKind::iterator},
    SectionKind{"iter", ProbeKind::iterator},
    SectionKind{"kprobe", ProbeKind::kprobe},
    SectionKind{"kretprobe", ProbeKind::kretprobe},
    SectionKind{"kprobe.multi", ProbeKind::kprobe_multi},
    SectionKind{"kretprobe.multi", ProbeKind::kretprobe_multi},
    SectionKind{"uprobe", ProbeKind::uprobe},
    SectionKind{"uretprobe", ProbeKind::uretprobe},
    SectionKind{"tp", ProbeKind::tracepoint},
    SectionKind{"tracepoint", ProbeKind::tracepoint},
    SectionKind{"raw_tp", ProbeKind::raw_tracepoint},
    SectionKind{"raw_tracepoint", ProbeKind::raw_tracepoint},
    SectionKind{"perf_event", ProbeKind::sampling},
};

}  // namespace

bool ProbeSpec::is_complete() const {
  if (kind == ProbeKind::iterator) return false;
  if (kind == ProbeKind::sampling) return sampling.has_value();
  if (is_uprobe()) return !places.empty();
  // Functions that were to come and did not are an error, which attaching reports.
  return !target.empty() || is_for_many();
}

bool ProbeSpec::is_for_many() const {
  return target.empty() && (kind == ProbeKind::kprobe || kind == ProbeKind::kretprobe ||
                            kind == ProbeKind::kprobe_multi || kind == ProbeKind::kretprobe_multi);
}

bool ProbeSpec::is_on_return() const {
  return kind == ProbeKind::kretprobe || kind == ProbeKind::kretprobe_multi ||
         kind == ProbeKind::uretprobe || kind == ProbeKind::fexit;
}

bool ProbeSpec::is_uprobe() const {
  return kind == ProbeKind::uprobe || kind == ProbeKind::uretprobe;
}

std::string ProbeSpec::type_name() const {
  switch (kind) {
    case ProbeKind::typed_tracepoint:
      return "btf_trace_" + target;
    case ProbeKind::iterator:
      return "bpf_iter_" + target;
    case ProbeKind::fentry:
    case ProbeKind::fexit:
    case ProbeKind::kprobe:
    case ProbeKind::kretprobe:
      return target;
    default:
      return {};
  }
}

std::optional<ProbeSpec> probe_of_section(std::string_view program, std::string_view section) {
  const std::size_t slash = section.find('/');
  std::string_view prefix = section.substr(0, slash);
  if (prefix.ends_with(".s")) prefix.remove_suffix(2);  // it may sleep
  const auto* found = std::ranges::find(kSectionKinds, prefix, &SectionKind::prefix);
  if (found == kSectionKinds.end()) return std::nullopt;
  ProbeSpec spec{.program = std::string(program), .kind = found->kind, .target = {}, .places = {}};
  if (slash != std::string_view::npos) spec.target = section.substr(slash + 1);
  return spec;
}

}  // namespace wick
