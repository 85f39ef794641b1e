#include "formats/top.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "formats/names.h"

namespace wick {
namespace {

struct Tally {
  std::vector<TopFunction> functions;
  std::vector<std::size_t> of_frame;     // by FrameId
  std::vector<std::size_t> last_sample;  // 1 + the sample that last counted the function's total
};

std::string shown_name(const Profile& profile, const Frame& frame) {
  return cleaned(profile.text(frame.name)).append(kind_suffix(frame.kind, true));
}

Tally empty_tally(const Profile& profile) {
  Tally tally;
  std::unordered_map<std::string, std::size_t> by_name;
  tally.of_frame.reserve(profile.frames().size());
  for (const Frame& frame : profile.frames()) {
    const std::string name = shown_name(profile, frame);
    const auto [entry, is_new] = by_name.try_emplace(name, tally.functions.size());
    if (is_new) tally.functions.push_back({.name = name, .kind = frame.kind});
    tally.of_frame.push_back(entry->second);
  }
  tally.last_sample.resize(tally.functions.size());
  return tally;
}

void add_sample(const Profile& profile, std::size_t index, i64 value, Tally& tally) {
  bool leaf = true;
  for (const FrameId id : profile.stack(profile.samples()[index].stack)) {
    if (is_separator(profile.text(profile.frame(id).name))) continue;
    const std::size_t function = tally.of_frame[id.index()];
    if (leaf) tally.functions[function].self += value;
    leaf = false;
    if (std::exchange(tally.last_sample[function], index + 1) != index + 1)
      tally.functions[function].total += value;
  }
}

double percent(i64 part, i64 whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

TopFunctions top_functions(const Profile& profile, std::size_t count, std::size_t value_index) {
  TopFunctions top;
  if (value_index >= profile.value_types().size()) return top;
  top.value_type = profile.value_types()[value_index];
  top.total = profile.total(value_index);
  Tally tally = empty_tally(profile);
  for (std::size_t i = 0; i < profile.samples().size(); i++)
    add_sample(profile, i, profile.values(i)[value_index], tally);
  std::erase_if(tally.functions, [](const auto& f) { return f.total == 0; });
  std::ranges::sort(tally.functions, [](const TopFunction& a, const TopFunction& b) {
    if (a.self != b.self) return a.self > b.self;
    if (a.total != b.total) return a.total > b.total;
    return a.name < b.name;
  });
  if (tally.functions.size() > count) tally.functions.resize(count);
  top.rows = std::move(tally.functions);
  return top;
}

std::string top_table(const TopFunctions& top) {
  std::string out = fmt::format("{:>12} {:>6} {:>12} {:>6}  {}\n", "SELF", "SELF%", "TOTAL",
                                "TOTAL%", "FUNCTION");
  for (const TopFunction& row : top.rows)
    out +=
        fmt::format("{:>12} {:>6.2f} {:>12} {:>6.2f}  {}\n", row.self, percent(row.self, top.total),
                    row.total, percent(row.total, top.total), row.name);
  return out;
}

}  // namespace wick
