#include "formats/pprof/pprof_mappings.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace wick {
namespace {

constexpr u64 kNoPid = ~u64{0};

bool has_user_frames(const Profile& profile, const Sample& sample) {
  return std::ranges::any_of(profile.stack(sample.stack), [&](FrameId id) {
    const FrameKind kind = profile.frame(id).kind;
    return kind != FrameKind::kernel && kind != FrameKind::note && kind != FrameKind::waiting;
  });
}

u64 heaviest_process(const Profile& profile) {
  std::unordered_map<u32, double> weights;
  for (std::size_t i = 0; i < profile.samples().size(); i++)
    if (const Sample& sample = profile.samples()[i]; has_user_frames(profile, sample))
      weights[sample.pid] += static_cast<double>(profile.values(i)[0]);
  u64 best = kNoPid;
  for (const auto& [pid, weight] : weights)
    if (best == kNoPid || weight > weights[static_cast<u32>(best)] ||
        (weight == weights[static_cast<u32>(best)] && pid < best))
      best = pid;
  return best;
}

// A profile does not say which file was executed. It is the one that is no library: "[vdso]",
// "//anon" and "x.so.6" are not it.
bool may_be_main_binary(std::string_view path) {
  return path.starts_with('/') && !path.starts_with("//") && !path.ends_with(".so") &&
         path.find(".so.") == std::string_view::npos;
}

MappingId main_binary(const Profile& profile) {
  const u64 pid = heaviest_process(profile);
  std::vector<double> weights(
      profile.mappings().size());  // a stack counts once a frame: no i64 holds it
  for (std::size_t i = 0; i < profile.samples().size(); i++) {
    const Sample& sample = profile.samples()[i];
    if (sample.pid != pid) continue;
    for (const FrameId id : profile.stack(sample.stack))
      if (const Frame& frame = profile.frame(id); frame.kind != FrameKind::kernel)
        weights[frame.mapping.index()] += static_cast<double>(profile.values(i)[0]);
  }
  MappingId best;
  for (std::size_t i = 1; i < weights.size(); i++)
    if (weights[i] > 0 && may_be_main_binary(profile.text(profile.mappings()[i].path)) &&
        (best.index() == 0 || weights[i] > weights[best.index()]))
      best = MappingId{i};
  return best;
}

void note_frame(PprofMapping& mapping, const Profile& profile, const Frame& frame) {
  mapping.has_functions |= frame.named;
  mapping.has_filenames |= !profile.text(frame.file).empty();
  mapping.has_line_numbers |= frame.line != 0;
  mapping.has_inline_frames |= frame.kind == FrameKind::inlined;
  if (mapping.source.index() != 0 || frame.address == 0) return;
  mapping.start = mapping.start == 0 ? frame.address : std::min(mapping.start, frame.address);
  mapping.limit =
      std::max(mapping.limit, frame.address == std::numeric_limits<u64>::max() ? frame.address
                                                                               : frame.address + 1);
}

}  // namespace

PprofMappings::PprofMappings(const Profile& profile) : ids_(profile.mappings().size()) {
  const auto add = [&](PprofMapping mapping) {
    mappings_.push_back(mapping);
    return mappings_.size();
  };
  const auto add_source = [&](MappingId source, bool kernel) {
    if (ids_[source.index()] != 0) return;
    const Mapping& mapping = profile.mapping(source);
    ids_[source.index()] =
        add({.source = source, .kernel = kernel, .start = mapping.start, .limit = mapping.limit});
  };
  if (const MappingId main = main_binary(profile); main.index() != 0) add_source(main, false);
  for (const Frame& frame : profile.frames()) {
    const bool kernel = frame.kind == FrameKind::kernel;
    if (frame.mapping.index() != 0)
      add_source(frame.mapping, kernel);
    else if (kernel && kernel_id_ == 0)
      kernel_id_ = add({.source = {}, .kernel = true});
    if (const u64 id = id_of(frame); id != 0) note_frame(mappings_[id - 1], profile, frame);
  }
}

u64 PprofMappings::id_of(const Frame& frame) const {
  if (frame.mapping.index() != 0) return ids_[frame.mapping.index()];
  return frame.kind == FrameKind::kernel ? kernel_id_ : 0;
}

}  // namespace wick
