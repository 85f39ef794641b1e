#include "profile/diff.h"

#include <array>
#include <vector>

#include "profile/sample_index.h"

namespace wick {
namespace {

// Spreads a scaled total over samples so that the parts sum up to the whole, to the last unit.
class Scale {
 public:
  Scale(i64 from, i64 to) : from_(from), to_(to) {}
  i64 operator()(i64 value) {
    if (from_ == 0 || from_ == to_) return value;
    seen_ += value;
    const i64 upto = static_cast<i64>(static_cast<__int128>(seen_) * to_ / from_);
    const i64 part = upto - given_;
    given_ = upto;
    return part;
  }

 private:
  i64 from_, to_;
  i64 seen_ = 0, given_ = 0;
};

class Differ {
 public:
  explicit Differ(Profile& out) : out_(out) {}

  void add(const Profile& profile, std::size_t value_index, std::size_t side, Scale scale) {
    frames_.assign(profile.frames().size(), kUnset);
    for (std::size_t i = 0; i < profile.samples().size(); i++) {
      std::array<i64, 2> values{};
      values[side] = scale(profile.values(i)[value_index]);
      index_.add(out_, sample_of(profile, profile.samples()[i]), values);
    }
  }

 private:
  static constexpr u32 kUnset = ~u32{0};

  FrameId frame_of(const Profile& profile, FrameId id) {
    u32& known = frames_[id.index()];
    if (known == kUnset) {
      const Frame& frame = profile.frame(id);
      known = out_.add_frame({.name = out_.strings.intern(profile.text(frame.name)),
                              .kind = frame.kind,
                              .named = frame.named})
                  .value();
    }
    return FrameId{known};
  }

  Sample sample_of(const Profile& profile, const Sample& sample) {
    path_.clear();
    for (const FrameId id : profile.stack(sample.stack)) path_.push_back(frame_of(profile, id));
    Sample out{.stack = out_.add_stack(path_),
               .comm = out_.strings.intern(profile.text(sample.comm))};
    // Numbers (a CPU, a request) tell runs apart; words (why it blocked) tell stacks apart.
    for (const Label& label : sample.labels)
      if (label.text.index() != 0)
        out.labels.push_back({.key = out_.strings.intern(profile.text(label.key)),
                              .text = out_.strings.intern(profile.text(label.text))});
    return out;
  }

  Profile& out_;
  SampleIndex index_;
  std::vector<u32> frames_;
  std::vector<FrameId> path_;
};

ProfileInfo info_of(const ProfileInfo& before, const ProfileInfo& after) {
  ProfileInfo info = after;
  info.differential = true;
  info.default_value = 1;
  info.losses.clear();
  for (const Loss& loss : before.losses)
    info.losses.push_back({"before: " + loss.cause, loss.count});
  for (const Loss& loss : after.losses) info.losses.push_back({"after: " + loss.cause, loss.count});
  if (!before.command.empty() && before.command != after.command)
    info.command = before.command + " → " + after.command;
  return info;
}

}  // namespace

Result<Profile> diff_profiles(const Profile& before, const Profile& after,
                              const DiffOptions& options) {
  if (before.info.differential || after.info.differential)
    return fail("one of the profiles is a difference already");
  const ValueType& old_type = before.value_types()[options.before_value];
  const ValueType& new_type = after.value_types()[options.after_value];
  if (old_type.unit != new_type.unit)
    return fail_usage("before counts " + old_type.type + " in " + old_type.unit + ", after " +
                          new_type.type + " in " + new_type.unit,
                      "--value NAME chooses what is compared");
  Profile out;
  out.info = info_of(before.info, after.info);
  out.set_value_types(
      {{.type = "before", .unit = new_type.unit}, {.type = "after", .unit = new_type.unit}});
  const i64 old_total = before.total(options.before_value);
  const i64 new_total = after.total(options.after_value);
  Differ differ{out};
  differ.add(before, options.before_value, 0,
             {old_total, options.normalise ? new_total : old_total});
  differ.add(after, options.after_value, 1, {new_total, new_total});
  return out;
}

}  // namespace wick
