#include "views/top.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "views/names.h"

namespace wick {
namespace {

struct GroupName {
  GroupBy by;
  std::string_view name;
};
constexpr std::array kGroups{
    GroupName{GroupBy::function, "function"}, GroupName{GroupBy::line, "line"},
    GroupName{GroupBy::dso, "dso"},           GroupName{GroupBy::comm, "comm"},
    GroupName{GroupBy::pid, "pid"},           GroupName{GroupBy::tid, "tid"},
};

class Tally {
 public:
  Tally(const Profile& profile, const TopOptions& options)
      : profile_(profile),
        by_(options.by),
        after_(options.value_index.value_or(profile.info.default_value)) {
    before_ = profile.info.differential ? 0 : after_;
    if (profile.info.differential) after_ = 1;
    if (is_of_frames(by_))
      for (const Frame& frame : profile.frames())
        of_frame_.push_back(row(name_of(frame), frame.kind));
  }

  std::vector<TopRow> run() {
    for (std::size_t i = 0; i < profile_.samples().size(); i++) {
      if (is_of_frames(by_))
        add_frames(i);
      else
        add_task(i);
    }
    std::erase_if(rows_,
                  [](const TopRow& row) { return row.now.total == 0 && row.before.total == 0; });
    return std::move(rows_);
  }
  [[nodiscard]] std::size_t value_index() const { return after_; }

 private:
  std::size_t row(std::string name, FrameKind kind) {
    const auto [entry, is_new] = by_name_.try_emplace(std::move(name), rows_.size());
    if (is_new) {
      rows_.push_back({.name = entry->first, .kind = kind});
      last_sample_.push_back(0);
    }
    return entry->second;
  }

  [[nodiscard]] std::string name_of(const Frame& frame) const {
    const auto dso = [&]() -> std::string {
      const std::string_view path = profile_.text(profile_.mapping(frame.mapping).path);
      if (!path.empty()) return printable(path);
      return frame.kind == FrameKind::kernel ? "[kernel]" : "[unknown]";
    };
    if (by_ == GroupBy::dso) return dso();
    std::string name = printable(profile_.text(frame.name)).append(kind_suffix(frame.kind, true));
    if (by_ == GroupBy::line && frame.file.index() != 0)
      name += fmt::format("  {}:{}", printable(profile_.text(frame.file)), frame.line);
    return name;
  }

  [[nodiscard]] std::string comm_of(const Sample& sample) const {
    std::string comm = printable(profile_.text(sample.comm));
    return comm.empty() ? "[unknown]" : comm;
  }

  [[nodiscard]] std::string name_of(const Sample& sample) const {
    const std::string comm = comm_of(sample);
    if (by_ == GroupBy::comm) return comm;
    if (by_ == GroupBy::pid) return fmt::format("{:>8}  {}", sample.pid, comm);
    return fmt::format("{:>8} {:>8}  {}", sample.pid, sample.tid, comm);
  }

  void add_frames(std::size_t index) {
    const auto values = profile_.values(index);
    const Sample& sample = profile_.samples()[index];
    const auto frames = profile_.stack(sample.stack);
    bool leaf = true;
    for (const FrameId id : frames) {
      if (is_separator(profile_.text(profile_.frame(id).name))) continue;
      const std::size_t at = of_frame_[id.index()];
      const bool first = std::exchange(last_sample_[at], index + 1) != index + 1;
      add(rows_[at], values, leaf, first);
      leaf = false;
    }
    if (!leaf && !profile_.info.comm_is_a_frame) return;
    const std::size_t at = row(comm_of(sample), FrameKind::user);
    const bool first = std::exchange(last_sample_[at], index + 1) != index + 1;
    add(rows_[at], values, leaf, first);
  }

  void add_task(std::size_t index) {
    const std::size_t at = row(name_of(profile_.samples()[index]), FrameKind::user);
    add(rows_[at], profile_.values(index), true, true);
  }

  void add(TopRow& row, std::span<const i64> values, bool self, bool total) const {
    if (self) row.now.self += values[after_];
    if (total) row.now.total += values[after_];
    if (!profile_.info.differential) return;
    if (self) row.before.self += values[before_];
    if (total) row.before.total += values[before_];
  }

  const Profile& profile_;
  GroupBy by_;
  std::size_t after_;
  std::size_t before_;
  std::vector<TopRow> rows_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<std::size_t> of_frame_;     // by FrameId
  std::vector<std::size_t> last_sample_;  // 1 + the sample that last counted a row's total
};

// Of a differential the size of the change, of others the size.
u64 weight(const TopRow& row, i64 Amount::* part) {
  const i64 change = row.now.*part - row.before.*part;
  return change < 0 ? u64{0} - static_cast<u64>(change) : static_cast<u64>(change);
}

}  // namespace

bool is_of_frames(GroupBy by) {
  return by == GroupBy::function || by == GroupBy::line || by == GroupBy::dso;
}

Result<GroupBy> group_named(std::string_view name) {
  for (const GroupName& group : kGroups)
    if (group.name == name) return group.by;
  return fail_usage(fmt::format("'{}' is nothing to group by", printable(name)),
                    "known are function, line, dso, comm, pid, tid");
}

double percent(i64 part, i64 whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

Top top_rows(const Profile& profile, const TopOptions& options) {
  Top top{.by = options.by};
  const std::size_t asked = options.value_index.value_or(profile.info.default_value);
  if (asked >= profile.value_types().size()) return top;
  Tally tally{profile, options};
  top.differential = profile.info.differential;
  top.value_type = profile.value_types()[tally.value_index()];
  top.total = profile.total(tally.value_index());
  if (top.differential) top.total_before = profile.total(0);
  top.rows = tally.run();
  const auto first = options.by_total ? &Amount::total : &Amount::self;
  const auto second = options.by_total ? &Amount::self : &Amount::total;
  std::ranges::sort(top.rows, [&](const TopRow& a, const TopRow& b) {
    if (weight(a, first) != weight(b, first)) return weight(a, first) > weight(b, first);
    if (weight(a, second) != weight(b, second)) return weight(a, second) > weight(b, second);
    return a.name < b.name;
  });
  if (top.rows.size() > options.count) {
    top.others = top.rows.size() - options.count;
    top.rows.resize(options.count);
  }
  return top;
}

}  // namespace wick
