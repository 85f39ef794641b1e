#include "tool/stack/gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace wick {
namespace {

struct GapCause {
  std::string_view one;
  std::string_view many;
};
// By enum wick_gap.
constexpr std::array<GapCause, WICK_GAPS> kGapCauses{{
    {"switch the kernel did not report", "switches the kernel did not report"},
    {"wait without storage", "waits without storage"},
    {"wait that ended before its stack was taken", "waits that ended before their stack was taken"},
}};

}  // namespace

Result<Gaps> Gaps::of(const BpfObject& object) {
  using Slots = std::array<u64, WICK_GAP_SLOTS>;
  const Slots& counts = *TRY(object.variable<Slots>("gaps"));
  const Slots& ns = *TRY(object.variable<Slots>("gaps_ns"));
  Gaps out;
  std::copy_n(counts.begin(), WICK_GAPS, out.counts.begin());
  std::copy_n(ns.begin(), WICK_GAPS, out.ns.begin());
  out.made_up = *TRY(object.variable<u64>("switches_made_up"));
  return out;
}

std::string gaps_text(const Gaps& gaps, u64 skipped) {
  std::string causes;
  const auto add = [&](u64 count, const GapCause& cause) {
    if (count == 0) return;
    causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", with_commas(count),
                          count == 1 ? cause.one : cause.many);
  };
  for (std::size_t i = 0; i < kGapCauses.size(); i++) add(gaps.counts.at(i), kGapCauses.at(i));
  add(skipped, {"event inside another", "events inside others"});
  const u64 ns = std::accumulate(gaps.ns.begin(), gaps.ns.end(), u64{0});
  std::string text;
  if (!causes.empty())
    text = fmt::format("; {:.3f} ms not accounted ({})", static_cast<double>(ns) / 1e6, causes);
  if (gaps.made_up != 0)
    text += fmt::format("; {} {} not reported, told by the kernel's accounts",
                        with_commas(gaps.made_up), gaps.made_up == 1 ? "switch" : "switches");
  return text;
}

void add_gap_losses(ProfileInfo& info, const Gaps& gaps, u64 skipped) {
  for (std::size_t i = 0; i < kGapCauses.size(); i++)
    if (gaps.counts.at(i) != 0)
      info.losses.push_back(
          {fmt::format("not accounted: {}", kGapCauses.at(i).many), gaps.counts.at(i)});
  if (gaps.made_up != 0)
    info.losses.push_back({"switches not reported, told by the kernel's accounts", gaps.made_up});
  if (skipped != 0) info.losses.push_back({"not accounted: events inside others", skipped});
}

u64 skipped_runs(const std::vector<const bpf_program*>& programs) {
  u64 skipped = 0;
  for (const bpf_program* program : programs)
    skipped += program_runs(program).value_or(ProgramRuns{}).missed;
  return skipped;
}

bool mark_gap(const StackEntry& entry, Sample& sample, Profile& profile) {
  if (entry.tag != WICK_TAG_NOT_ACCOUNTED) return true;
  const std::array stack{profile.add_frame(
      {.name = profile.strings.intern(kNotAccounted), .kind = FrameKind::waiting})};
  sample.stack = profile.add_stack(stack);
  return true;
}

}  // namespace wick
