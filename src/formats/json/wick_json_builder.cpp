#include "formats/json/wick_json_builder.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "views/names.h"

namespace wick {
namespace {

constexpr std::size_t kMostLosses = 1'000;
constexpr std::size_t kMostMappings = std::size_t{1} << 20;
// Of one path those that frames are looked for in: a file is mapped a few times, and one that
// claims a million would make every frame search them.
constexpr std::size_t kMostOfAPath = 64;
constexpr std::size_t kCheckEverySamples = 4'096;

FrameKind wick_json_kind(std::string_view name) {
  for (std::size_t i = 0; i < kFrameKinds; i++)
    if (kind_name(static_cast<FrameKind>(i)) == name) return static_cast<FrameKind>(i);
  return FrameKind::user;
}

}  // namespace

Status WickJsonBuilder::add_type(ValueType type) {
  types_.push_back(std::move(type));
  if (types_.size() > options_.limits.value_types)
    return fail(fmt::format("more than {} kinds of values", options_.limits.value_types));
  return {};
}

Status WickJsonBuilder::add_loss(Loss loss) {
  info().losses.push_back(std::move(loss));
  if (info().losses.size() > kMostLosses)
    return fail(fmt::format("more than {} causes of losses", with_commas(kMostLosses)));
  return {};
}

Status WickJsonBuilder::add_mapping(const WickJsonMapping& mapping) {
  const StringId path = profile_.strings.intern(mapping.path);
  const MappingId id = profile_.add_mapping({.path = path,
                                             .build_id = profile_.strings.intern(mapping.build_id),
                                             .start = mapping.start,
                                             .limit = mapping.limit,
                                             .file_offset = mapping.file_offset});
  std::vector<MappingId>& same = mappings_[path.value()];
  if (same.size() < kMostOfAPath) same.push_back(id);
  return check_mappings();
}

Status WickJsonBuilder::check_mappings() const {
  if (profile_.mappings().size() <= kMostMappings) return {};
  return fail(fmt::format("more than {} mappings", with_commas(kMostMappings)));
}

// A frame names the path; which of its mappings it is, the address tells.
MappingId WickJsonBuilder::mapping_of(const WickJsonFrame& frame) {
  if (frame.mapping.empty()) return {};
  const StringId path = profile_.strings.intern(frame.mapping);
  std::vector<MappingId>& known = mappings_[path.value()];
  for (const MappingId id : known)
    if (const Mapping& one = profile_.mapping(id);
        frame.address >= one.start && frame.address < one.limit)
      return id;
  if (known.empty()) known.push_back(profile_.add_mapping({.path = path}));
  return known.front();
}

Status WickJsonBuilder::add_frame(const WickJsonFrame& frame) {
  if (stack_.size() >= options_.limits.depth)
    return fail(fmt::format("a stack of more than {} frames", options_.limits.depth));
  stack_.push_back(profile_.add_frame(
      {.name = profile_.strings.intern(frame.name.empty() ? "[unknown]" : frame.name),
       .mapping = mapping_of(frame),
       .file = profile_.strings.intern(frame.file),
       .line = frame.line,
       .kind = wick_json_kind(frame.kind),
       .named = frame.named,
       .address = frame.address}));
  // Each path a frame names alone is a mapping too.
  return check_mappings();
}

Status WickJsonBuilder::add_value(i64 value) {
  if (values_.size() >= options_.limits.value_types)
    return fail(fmt::format("more than {} values in a sample", options_.limits.value_types));
  values_.push_back(value);
  return {};
}

Status WickJsonBuilder::add_label(const WickJsonLabel& label) {
  if (++label_count_ > options_.limits.labels)
    return fail(fmt::format("more than {} labels", with_commas(options_.limits.labels)));
  labels_.push_back({.key = profile_.strings.intern(label.key),
                     .text = profile_.strings.intern(label.text),
                     .number = label.number,
                     .unit = profile_.strings.intern(label.unit)});
  return {};
}

Status WickJsonBuilder::add_sample(const WickJsonSample& sample) {
  const std::size_t index = profile_.samples().size();
  if (index == 0) {
    columns_ = values_.size();
    profile_.set_value_types(std::vector<ValueType>(columns_));
  }
  if (values_.empty() || values_.size() != columns_)
    return fail(fmt::format("sample {} has {}, the first has {}", index + 1,
                            counted(values_.size(), "value"), columns_));
  profile_.add_sample({.stack = profile_.add_stack(stack_),
                       .pid = sample.pid,
                       .tid = sample.tid,
                       .comm = profile_.strings.intern(sample.comm),
                       .labels = std::exchange(labels_, {})},
                      values_);
  stack_.clear();
  values_.clear();
  return index % kCheckEverySamples == 0 ? check_limits(profile_, options_.limits) : Status{};
}

Status WickJsonBuilder::add_moment(const Moment& moment) {
  if (!options_.moments) return {};
  if (moments_.size() < options_.limits.moments)
    moments_.push_back(moment);
  else
    moments_left_out_++;
  return {};
}

Result<Profile> WickJsonBuilder::finish() {
  TRY(check_limits(profile_, options_.limits));
  if (!profile_.samples().empty() && types_.size() != columns_)
    return fail(fmt::format("{} in value_types, {} in the samples", counted(types_.size(), "kind"),
                            columns_));
  profile_.set_value_types(std::move(types_));
  const std::size_t types = profile_.value_types().size();
  if (info().default_value >= types) info().default_value = 0;
  info().differential = info().differential && types >= 2;
  for (const Moment& moment : moments_) {
    if (moment.sample >= profile_.samples().size())
      return fail(fmt::format("a moment of sample {}, which is not there", moment.sample));
    profile_.add_moment(moment);
  }
  wick::add_loss(info(), "times of events, past what Wick keeps", moments_left_out_);
  return std::move(profile_);
}

}  // namespace wick
