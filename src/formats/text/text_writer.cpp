// bcc profile's default output, ascending by count:
//
//     kernel leaf
//     --                      (with -d)
//     user leaf
//     user root
//     -                comm (pid)
//         12                  (differential: 12 → 20 (+66.7%), ascending by the change's size)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "formats/writers.h"
#include "views/amounts.h"
#include "views/merged_stacks.h"
#include "views/names.h"

namespace wick {
namespace {

std::string role(std::string_view word, std::string_view who) {
  return fmt::format("    {:<16} {}\n", word, who);
}

// The leaf of a pair of tasks is one of them, not a function.
bool leaf_is_task(const StackName& leaf, TextLayout layout) {
  return layout == TextLayout::wakeup ||
         (layout == TextLayout::offwake && leaf.kind == FrameKind::waker);
}

void write_frames(const MergedStacks& stacks, const StackLine& line, const WriteOptions& options,
                  Writer& out) {
  const auto path = stacks.path(line);
  const TextLayout layout = options.text.layout;
  const bool delimited = options.delimited;
  bool in_kernel = false;
  for (std::size_t i = path.size(); i-- > 0;) {
    const StackName& name = stacks.names[path[i]];
    if (i + 1 == path.size() && leaf_is_task(name, layout)) {
      out << role(layout == TextLayout::wakeup ? "target:" : "waker:", name.text);
      continue;
    }
    if (layout == TextLayout::offwake && name.text == "--") {
      out << role("--", "--");
      continue;
    }
    const bool kernel = name.kind == FrameKind::kernel;
    if (delimited && in_kernel && !kernel && !is_separator(name.text)) out << "    --\n";
    in_kernel = kernel;
    out << "    " << name.text << '\n';
  }
}

// Who the stack belongs to.
std::string owner(const MergedStacks& stacks, const StackLine& line, const WriteOptions& options) {
  const std::string ids =
      options.per_thread ? fmt::format("{}/{}", line.pid, line.tid) : std::to_string(line.pid);
  const std::string& comm = stacks.text(line.label);
  switch (options.text.layout) {
    case TextLayout::wakeup:
      return role("waker:", comm);
    case TextLayout::offwake:
      return role("target:", fmt::format("{} {}", comm, ids));
    case TextLayout::profile:
      break;
  }
  return role("-", fmt::format("{} ({})", comm, ids));
}

double rank_of(const StackLine& line, bool differential) {
  if (!differential) return static_cast<double>(line.value);
  return std::abs(static_cast<double>(line.value) - static_cast<double>(line.before));
}

// Equal counts keep their order, so that two runs compare.
std::vector<StackLine> ascending(const MergedStacks& stacks) {
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(stacks.lines.size());
  for (const StackLine& line : stacks.lines)
    order.emplace_back(rank_of(line, stacks.differential), order.size());
  std::ranges::sort(order);
  std::vector<StackLine> out;
  out.reserve(order.size());
  for (const auto& [rank, index] : order) out.push_back(stacks.lines[index]);
  return out;
}

// A profile read from another tool's file may know no tasks at all.
bool has_tasks(const Profile& profile) {
  return std::ranges::any_of(profile.samples(), [](const Sample& sample) {
    return sample.comm != StringId{} || sample.pid != 0;
  });
}

}  // namespace

Status write_text(const Profile& profile, const WriteOptions& options, Sink& sink) {
  const bool roles = options.text.layout != TextLayout::profile;
  const MergedStacks stacks = merge_stacks(profile, {.annotate_kernel = options.annotate_kernel,
                                                     .mark_kinds = !roles,
                                                     .addresses = options.addresses,
                                                     .lines = options.lines,
                                                     .waker_ids = roles,
                                                     .by_process = true,
                                                     .by_thread = options.per_thread,
                                                     .value_index = *options.value_index});
  const bool tasks = has_tasks(profile);
  Writer out{sink};
  for (const StackLine& line : ascending(stacks)) {
    write_frames(stacks, line, options, out);
    if (tasks) out << owner(stacks, line, options);
    out << "        ";
    if (stacks.differential) out << line.before / options.text.divisor << " → ";
    out << line.value / options.text.divisor;
    if (stacks.differential) out << " (" << change_text(line.before, line.value) << ')';
    out << "\n\n";
    if (out.failed()) break;
  }
  return out.finish();
}

}  // namespace wick
