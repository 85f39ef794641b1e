// Gaps: time of threads that could not be told, as bpf/lib/gaps.bpf.h counts it. It stands in the
// profile as [not accounted] under its thread, and its causes in the closing line.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/gaps.h"
#include "kernel/bpf/bpf_object.h"
#include "kernel/program_stats.h"
#include "profile/profile.h"
#include "tool/stack/stack_window.h"

namespace wick {

inline constexpr std::string_view kNotAccounted = "[not accounted]";

struct Gaps {
  std::array<u64, WICK_GAPS> counts{};
  std::array<u64, WICK_GAPS> ns{};
  u64 made_up = 0;  // switches that were not reported, and nothing is missing

  // Of an object that includes gaps.bpf.h.
  [[nodiscard]] static Result<Gaps> of(const BpfObject& object);
};

// "; 12.3 ms not accounted (2 switches the kernel did not report, 1 thread without storage)"; empty
// without gaps. `skipped`: times the kernel did not run a program because it was running already.
[[nodiscard]] std::string gaps_text(const Gaps& gaps, u64 skipped);
void add_gap_losses(ProfileInfo& info, const Gaps& gaps, u64 skipped);
// How often the kernel left these out.
[[nodiscard]] u64 skipped_runs(const std::vector<const bpf_program*>& programs);

// For StackReport::look: a gap has one frame, which says so.
bool mark_gap(const StackEntry& entry, Sample& sample, Profile& profile);

}  // namespace wick
