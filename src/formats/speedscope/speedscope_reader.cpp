#include "formats/speedscope/speedscope_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "formats/speedscope/speedscope_parser.h"
#include "profile/sample_index.h"
#include "views/names.h"

namespace wick {
namespace {

// Times become nanoseconds: as seconds they would be fractions.
struct Unit {
  std::string_view name;
  i64 factor;
  std::string_view type;
  std::string_view unit;
};
constexpr std::array kUnits{
    Unit{"none", 1, "samples", "count"},
    Unit{"nanoseconds", 1, "time", "nanoseconds"},
    Unit{"microseconds", 1'000, "time", "nanoseconds"},
    Unit{"milliseconds", 1'000'000, "time", "nanoseconds"},
    Unit{"seconds", 1'000'000'000, "time", "nanoseconds"},
    Unit{"bytes", 1, "space", "bytes"},
};

FrameKind kind_named(std::string_view name) {
  for (const FrameKind kind : {FrameKind::kernel, FrameKind::jit, FrameKind::inlined,
                               FrameKind::note, FrameKind::waker, FrameKind::waiting})
    if (kind_name(kind) == name) return kind;
  return FrameKind::user;
}

class SpeedscopeReader {
 public:
  SpeedscopeReader(SpeedscopeFile file, const ReadLimits& limits)
      : file_(std::move(file)), limits_(limits) {}

  Result<Profile> run() {
    if (file_.profiles.empty()) return fail("no profiles: not a speedscope file");
    if (file_.name != "wick") profile_.info.title = file_.name;
    TRY(set_value_types());
    for (const SpeedscopeFrame& frame : file_.frames) frames_.push_back(add_frame(frame));
    for (std::size_t i = 0; i < file_.profiles.size(); i++) {
      const Status status = read_profile(i);
      if (!status)
        return std::unexpected(with_context(status.error(), fmt::format("profile {}", i + 1)));
    }
    add_loss(profile_.info, "weights with a fraction, rounded", rounded_);
    return std::move(profile_);
  }

 private:
  Status set_value_types() {
    std::vector<ValueType> types;
    for (const SpeedscopeProfile& from : file_.profiles) {
      const auto* unit = std::ranges::find(kUnits, from.unit, &Unit::name);
      if (unit == kUnits.end()) unit = kUnits.begin();
      ValueType type{std::string(unit->type), std::string(unit->unit)};
      if (from.by_wick) type = {from.value_type, from.value_unit};
      const auto known = std::ranges::find(types, type);
      columns_.push_back(static_cast<std::size_t>(known - types.begin()));
      factors_.push_back(from.by_wick ? 1 : unit->factor);
      if (known == types.end()) types.push_back(std::move(type));
      if (types.size() > limits_.value_types)
        return fail(fmt::format("more than {} kinds of values", limits_.value_types));
    }
    ProfileInfo& info = profile_.info;
    info.differential = types.size() >= 2 && types[0].type == "before" && types[1].type == "after";
    if (file_.active_profile < columns_.size()) info.default_value = columns_[file_.active_profile];
    values_.resize(types.size());
    profile_.set_value_types(std::move(types));
    return {};
  }

  FrameId add_frame(const SpeedscopeFrame& from) {
    Frame frame{.line = from.line, .kind = kind_named(from.kind)};
    frame.name = profile_.strings.intern(from.name.empty() ? "[unknown]" : from.name);
    frame.file = profile_.strings.intern(from.by_wick ? from.source : from.file);
    if (!from.mapping.empty())
      frame.mapping = profile_.add_mapping({.path = profile_.strings.intern(from.mapping)});
    return profile_.add_frame(frame);
  }

  Status read_profile(std::size_t index) {
    const SpeedscopeProfile& from = file_.profiles[index];
    column_ = columns_[index];
    factor_ = factors_[index];
    task_ = {.pid = from.pid, .tid = from.tid, .comm = profile_.strings.intern(from.comm)};
    if (!from.by_wick && file_.profiles.size() > 1 && !from.name.empty())
      task_.labels.push_back(
          {.key = profile_.strings.intern("profile"), .text = profile_.strings.intern(from.name)});
    TRY(from.evented ? read_events(from) : read_stacks(from));
    return check_limits(profile_, limits_);
  }

  Result<i64> value_of(const SpeedscopeNumber& number) {
    i64 whole = 0;
    if (number.is_whole && !__builtin_mul_overflow(number.whole, factor_, &whole)) return whole;
    constexpr double kTooMuch = 9.2e18;
    const double exact = number.decimal * static_cast<double>(factor_);
    if (!(std::abs(exact) < kTooMuch)) return fail("a number too large to count with");
    const double rounded = std::round(exact);
    if (rounded != exact && factor_ == 1) rounded_++;
    return static_cast<i64>(rounded);
  }

  Result<FrameId> frame(u32 index) const {
    if (index >= frames_.size()) return fail(fmt::format("frame {} is not there", index));
    return frames_[index];
  }

  void add_sample(i64 value) {
    Sample sample = task_;
    std::ranges::reverse(stack_);
    sample.stack = profile_.add_stack(stack_);
    std::ranges::reverse(stack_);
    std::ranges::fill(values_, 0);
    values_[column_] = value;
    samples_.add(profile_, std::move(sample), values_);
  }

  Status read_stacks(const SpeedscopeProfile& from) {
    if (from.weights.size() != from.stack_sizes.size())
      return fail(fmt::format("{} and {}", counted(from.stack_sizes.size(), "stack"),
                              counted(from.weights.size(), "weight")));
    std::size_t at = 0;
    for (std::size_t i = 0; i < from.stack_sizes.size(); i++) {
      stack_.clear();
      for (const std::size_t end = at + from.stack_sizes[i]; at < end; at++)
        stack_.push_back(TRY(frame(from.stack_frames[at])));
      add_sample(TRY(value_of(from.weights[i])));
    }
    return {};
  }

  // Between two events the time belongs to what is open.
  Status read_events(const SpeedscopeProfile& from) {
    stack_.clear();
    i64 last = 0;
    for (std::size_t i = 0; i < from.events.size(); i++) {
      const SpeedscopeEvent& event = from.events[i];
      const i64 now = TRY(value_of(event.at));
      i64 passed = 0;
      if (i > 0 && (now < last || __builtin_sub_overflow(now, last, &passed)))
        return fail(fmt::format("event {} is earlier than the one before", i + 1));
      if (passed > 0 && !stack_.empty()) add_sample(passed);
      last = now;
      const FrameId which = TRY(frame(event.frame));
      if (event.open) {
        if (stack_.size() >= limits_.depth)
          return fail(fmt::format("deeper than {} frames", limits_.depth));
        stack_.push_back(which);
      } else {
        if (stack_.empty() || stack_.back() != which)
          return fail(fmt::format("event {} closes a frame that is not the innermost", i + 1));
        stack_.pop_back();
      }
      constexpr std::size_t kCheckEvery = 4096;
      if (i % kCheckEvery == 0) TRY(check_limits(profile_, limits_));
    }
    return {};
  }

  SpeedscopeFile file_;
  const ReadLimits& limits_;
  Profile profile_;
  std::vector<FrameId> frames_;
  std::vector<std::size_t> columns_;  // by profile of the file
  std::vector<i64> factors_;
  std::size_t column_ = 0;
  i64 factor_ = 1;
  Sample task_;
  std::vector<FrameId> stack_;  // root first
  std::vector<i64> values_;
  u64 rounded_ = 0;
  SampleIndex samples_;
};

}  // namespace

Result<Profile> read_speedscope(std::string_view json, const ReadLimits& limits) {
  return SpeedscopeReader{TRY(parse_speedscope(json, limits)), limits}.run();
}

}  // namespace wick
