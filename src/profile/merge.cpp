#include "profile/merge.h"

#include <algorithm>

namespace wick {
namespace {

constexpr u32 kUnset = ~u32{0};

// Where each of `theirs` stands in `ours`, which gets what it lacks.
std::vector<std::size_t> columns(std::vector<ValueType>& ours, std::span<const ValueType> theirs) {
  std::vector<std::size_t> out;
  for (const ValueType& type : theirs) {
    const auto found = std::ranges::find(ours, type);
    out.push_back(static_cast<std::size_t>(found - ours.begin()));
    if (found == ours.end()) ours.push_back(type);
  }
  return out;
}

// What is known of one part only is kept; what differs is not made up.
void merge_info(ProfileInfo& whole, const ProfileInfo& part) {
  const auto keep = [](auto& mine, const auto& other) {
    if (mine == std::remove_cvref_t<decltype(mine)>{}) mine = other;
  };
  keep(whole.title, part.title);
  keep(whole.command, part.command);
  keep(whole.host, part.host);
  keep(whole.kernel, part.kernel);
  keep(whole.period_type, part.period_type);
  keep(whole.period, part.period);
  keep(whole.cpus, part.cpus);
  if (whole.start_unix_ns == 0 ||
      (part.start_unix_ns != 0 && part.start_unix_ns < whole.start_unix_ns))
    whole.start_unix_ns = part.start_unix_ns;
  whole.duration_ns += part.duration_ns;
  for (const Loss& loss : part.losses) {
    const auto found = std::ranges::find(whole.losses, loss.cause, &Loss::cause);
    if (found == whole.losses.end())
      whole.losses.push_back(loss);
    else
      found->count += loss.count;
  }
}

}  // namespace

ProfileCopier::ProfileCopier(const Profile& from, Profile& to)
    : from_(from),
      to_(to),
      strings_(from.strings.size(), kUnset),
      mappings_(from.mappings().size(), kUnset),
      frames_(from.frames().size(), kUnset),
      stacks_(from.stack_count(), kUnset) {}

StringId ProfileCopier::string(StringId id) {
  u32& known = strings_[id.index()];
  if (known == kUnset) known = to_.strings.intern(from_.text(id)).value();
  return StringId{known};
}

MappingId ProfileCopier::mapping(MappingId id) {
  u32& known = mappings_[id.index()];
  if (known != kUnset) return MappingId{known};
  Mapping copy = from_.mapping(id);
  copy.path = string(copy.path);
  copy.build_id = string(copy.build_id);
  known = to_.add_mapping(copy).value();
  return MappingId{known};
}

FrameId ProfileCopier::frame(FrameId id) {
  u32& known = frames_[id.index()];
  if (known != kUnset) return FrameId{known};
  Frame copy = from_.frame(id);
  copy.name = string(copy.name);
  copy.file = string(copy.file);
  copy.mapping = mapping(copy.mapping);
  known = to_.add_frame(copy).value();
  return FrameId{known};
}

StackId ProfileCopier::stack(StackId id) {
  u32& known = stacks_[id.index()];
  if (known != kUnset) return StackId{known};
  path_.clear();
  for (const FrameId part : from_.stack(id)) path_.push_back(frame(part));
  known = to_.add_stack(path_).value();
  return StackId{known};
}

Sample ProfileCopier::sample(const Sample& sample) {
  Sample copy = sample_without_stack(sample);
  copy.stack = stack(sample.stack);
  return copy;
}

Sample ProfileCopier::sample_without_stack(const Sample& sample) {
  Sample copy = sample;
  copy.stack = {};
  copy.comm = string(sample.comm);
  for (Label& label : copy.labels)
    label = {string(label.key), string(label.text), label.number, string(label.unit)};
  return copy;
}

Status ProfileMerger::add(Profile part) {
  if (empty_) {
    whole_ = std::move(part);
    empty_ = false;
    return {};
  }
  if (whole_.info.differential != part.info.differential)
    return fail("a differential profile and an ordinary one cannot be merged");
  const std::vector<ValueType> before(whole_.value_types().begin(), whole_.value_types().end());
  std::vector<ValueType> types = before;
  const std::vector<std::size_t> column = columns(types, part.value_types());
  if (types.size() > before.size()) widen(types);
  index_.rebuild(whole_);
  ProfileCopier copier{part, whole_};
  std::vector<u32> moved(part.samples().size());  // where each sample went, for the moments
  std::vector<i64> values(types.size());
  for (std::size_t i = 0; i < part.samples().size(); i++) {
    std::ranges::fill(values, 0);
    for (std::size_t v = 0; v < column.size(); v++) values[column[v]] += part.values(i)[v];
    moved[i] = static_cast<u32>(index_.add(whole_, copier.sample(part.samples()[i]), values));
  }
  for (Moment moment : part.moments()) {
    moment.sample = moved[moment.sample];
    whole_.add_moment(moment);
  }
  merge_info(whole_.info, part.info);
  return {};
}

// Values are a table beside the samples: another column means another table.
void ProfileMerger::widen(const std::vector<ValueType>& types) {
  Profile wide;
  wide.info = whole_.info;
  wide.set_value_types(types);
  ProfileCopier copier{whole_, wide};
  std::vector<i64> values(types.size());
  for (std::size_t i = 0; i < whole_.samples().size(); i++) {
    std::ranges::copy(whole_.values(i), values.begin());
    wide.add_sample(copier.sample(whole_.samples()[i]), values);
  }
  for (const Moment& moment : whole_.moments()) wide.add_moment(moment);
  whole_ = std::move(wide);
}

Profile ProfileMerger::finish() && {
  return std::move(whole_);
}

}  // namespace wick
