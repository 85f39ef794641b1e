#include "profile/filter.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "base/text.h"
#include "profile/merge.h"
#include "profile/sample_index.h"

namespace wick {
namespace {

RE2::Options pattern_options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(RE2::Options::EncodingLatin1);  // names are bytes
  return options;
}

// Several patterns as one machine; one that matches is enough.
using PatternSet = std::unique_ptr<RE2::Set>;

Result<PatternSet> compile_set(const std::vector<std::string>& patterns, std::string_view option) {
  if (patterns.empty()) return nullptr;
  auto set = std::make_unique<RE2::Set>(pattern_options(), RE2::UNANCHORED);
  for (const std::string& pattern : patterns) {
    std::string problem;
    if (set->Add(pattern, &problem) < 0)
      return fail_usage(std::string(option) + ": '" + printable(pattern) +
                        "' is no pattern: " + printable(problem));
  }
  if (!set->Compile())
    return fail_usage(std::string(option) + ": the patterns are too large together");
  return set;
}

bool found(const PatternSet& set, std::string_view text) {
  return set->Match(re2::StringPiece(text.data(), text.size()), nullptr);
}

// A pattern's answer for each text of a profile, asked once.
class Answers {
 public:
  Answers(const Profile& profile, const PatternSet& set) : profile_(profile), set_(set) {
    if (set_) known_.resize(profile.strings.size());
  }
  [[nodiscard]] bool asked() const { return set_ != nullptr; }
  bool operator()(StringId id) {
    if (!set_) return false;
    u8& answer = known_[id.index()];
    if (answer == 0) answer = found(set_, profile_.text(id)) ? 2 : 1;
    return answer == 2;
  }

 private:
  const Profile& profile_;
  const PatternSet& set_;
  std::vector<u8> known_;  // 0: not asked yet, 1: no, 2: yes
};

}  // namespace

bool FilterSpec::empty() const {
  return focus.empty() && ignore.empty() && hide.empty() && from_frame.empty() && comms.empty() &&
         pids.empty() && labels.empty() && !collapse_recursion && !reverse;
}

struct Filter::Patterns {
  PatternSet focus, ignore, hide, from_frame;
};

class Filter::Run {
 public:
  Run(const Filter& filter, const Profile& profile)
      : spec_(filter.spec_),
        profile_(profile),
        focus_(profile, filter.patterns_->focus),
        ignore_(profile, filter.patterns_->ignore),
        hide_(profile, filter.patterns_->hide),
        from_(profile, filter.patterns_->from_frame),
        comms_(spec_.comms.begin(), spec_.comms.end()),
        pids_(spec_.pids.begin(), spec_.pids.end()),
        copier_(profile, out_),
        shaped_(profile.stack_count()) {
    out_.info = profile.info;
    out_.set_value_types({profile.value_types().begin(), profile.value_types().end()});
  }

  Profile run() {
    std::vector<u32> moved(profile_.samples().size(), kDropped);
    for (std::size_t i = 0; i < profile_.samples().size(); i++) {
      const Sample& sample = profile_.samples()[i];
      if (!wanted(sample)) continue;
      const std::optional<StackId> stack = stack_of(sample);
      if (!stack) continue;
      Sample copy = copier_.sample_without_stack(sample);
      copy.stack = *stack;
      if (spec_.reverse) copy.comm = {};
      moved[i] = static_cast<u32>(index_.add(out_, std::move(copy), profile_.values(i)));
    }
    for (Moment moment : profile_.moments()) {
      moment.sample = moved[moment.sample];
      if (moment.sample != kDropped) out_.add_moment(moment);
    }
    return std::move(out_);
  }

 private:
  static constexpr u32 kDropped = ~u32{0};

  // What `sample` is asked for by name and number.
  bool wanted(const Sample& sample) const {
    if (!comms_.empty() && !comms_.contains(profile_.text(sample.comm))) return false;
    if (!pids_.empty() && !pids_.contains(sample.pid)) return false;
    return std::ranges::all_of(
        spec_.labels, [&](const auto& want) { return has_label(sample, want.first, want.second); });
  }

  bool has_label(const Sample& sample, std::string_view key, std::string_view value) const {
    if (key == "comm" && profile_.text(sample.comm) == value) return true;
    if (key == "pid" && parse_number<u32>(value) == sample.pid) return true;
    if (key == "tid" && parse_number<u32>(value) == sample.tid) return true;
    return std::ranges::any_of(sample.labels, [&](const Label& label) {
      if (profile_.text(label.key) != key) return false;
      const std::string_view text = profile_.text(label.text);
      return text.empty() ? parse_number<i64>(value) == label.number : text == value;
    });
  }

  // The stack as asked for, or nothing when it is not wanted. Its shape does not depend on the
  // sample, only whether a command's name counts as a match, and where it stands in reverse.
  std::optional<StackId> stack_of(const Sample& sample) {
    const auto frames = profile_.stack(sample.stack);
    const auto any = [&](Answers& answers) {
      return answers(sample.comm) || std::ranges::any_of(frames, [&](FrameId id) {
               return answers(profile_.frame(id).name);
             });
    };
    if (focus_.asked() && !any(focus_)) return std::nullopt;
    if (ignore_.asked() && any(ignore_)) return std::nullopt;
    if (spec_.reverse) return shape(frames, sample.comm);
    std::optional<Shaped>& known = shaped_[sample.stack.index()];
    if (!known) known = Shaped{shape(frames, {})};
    return known->stack;
  }

  std::optional<StackId> shape(std::span<const FrameId> frames, StringId comm) {
    std::size_t end = frames.size();  // leaf first: what comes behind `end` is cut off
    if (from_.asked()) {
      while (end > 0 && !from_(profile_.frame(frames[end - 1]).name)) end--;
      if (end == 0) return std::nullopt;
    }
    path_.clear();
    StringId last;
    for (std::size_t i = 0; i < end; i++) {
      const StringId name = profile_.frame(frames[i]).name;
      if (hide_(name)) continue;
      if (spec_.collapse_recursion && !path_.empty() && name == last)
        path_.back() = copier_.frame(frames[i]);  // the outer one calls, the inner one is called
      else
        path_.push_back(copier_.frame(frames[i]));
      last = name;
    }
    if (spec_.reverse) {
      if (comm.index() != 0)
        path_.push_back(out_.add_frame({.name = copier_.string(comm), .kind = FrameKind::note}));
      std::ranges::reverse(path_);
    }
    return out_.add_stack(path_);
  }

  struct Shaped {
    std::optional<StackId> stack;
  };

  const FilterSpec& spec_;
  const Profile& profile_;
  Answers focus_, ignore_, hide_, from_;
  std::unordered_set<std::string_view> comms_;
  std::unordered_set<u32> pids_;
  Profile out_;
  ProfileCopier copier_;
  SampleIndex index_;
  std::vector<std::optional<Shaped>> shaped_;  // by StackId
  std::vector<FrameId> path_;
};

Filter::Filter(FilterSpec spec) : spec_(std::move(spec)), patterns_(std::make_unique<Patterns>()) {}
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;
Filter::~Filter() = default;

Result<Filter> Filter::compile(FilterSpec spec) {
  Filter filter{std::move(spec)};
  const FilterSpec& asked = filter.spec_;
  filter.patterns_->focus = TRY(compile_set(asked.focus, "--focus"));
  filter.patterns_->ignore = TRY(compile_set(asked.ignore, "--ignore"));
  filter.patterns_->hide = TRY(compile_set(asked.hide, "--hide"));
  filter.patterns_->from_frame = TRY(compile_set(asked.from_frame, "--from-frame"));
  return filter;
}

Profile Filter::apply(const Profile& profile) const {
  return Run{*this, profile}.run();
}

Result<FunctionMatch> FunctionMatch::find(const Profile& profile, const std::string& name) {
  FunctionMatch match;
  match.frames_.resize(profile.frames().size());
  std::unordered_set<u32> names;
  const auto mark = [&](auto&& wanted) {
    for (std::size_t i = 0; i < profile.frames().size(); i++) {
      const StringId id = profile.frames()[i].name;
      if (!wanted(id)) continue;
      match.frames_[i] = true;
      names.insert(id.value());
    }
    match.functions_ = names.size();
  };
  mark([&](StringId id) { return profile.text(id) == name; });
  if (match.functions_ > 0) return match;
  const PatternSet set = TRY(compile_set({name}, "function"));
  Answers answers{profile, set};
  mark([&](StringId id) { return answers(id); });
  if (match.functions_ == 0)
    return fail("no function of the profile is called, or matches, '" + printable(name) + "'");
  return match;
}

}  // namespace wick
