// bcc profile's default output, ascending by count:
//
//     kernel leaf
//     --                      (with -d)
//     user leaf
//     user root
//     -                comm (pid)
//         12
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/merged_stacks.h"
#include "formats/names.h"
#include "formats/writers.h"

namespace wick {
namespace {

void write_frames(const MergedStacks& stacks, const StackLine& line, bool delimited, Writer& out) {
  const auto path = stacks.path(line);
  bool in_kernel = false;
  for (std::size_t i = path.size(); i-- > 0;) {
    const StackName& name = stacks.names[path[i]];
    const bool kernel = name.kind == FrameKind::kernel;
    if (delimited && in_kernel && !kernel && !is_separator(name.text)) out << "    --\n";
    in_kernel = kernel;
    out << "    " << name.text << '\n';
  }
}

// Equal counts keep their order, so that two runs compare.
std::vector<StackLine> ascending(const std::vector<StackLine>& lines) {
  std::vector<std::pair<i64, std::size_t>> order;
  order.reserve(lines.size());
  for (const StackLine& line : lines) order.emplace_back(line.value, order.size());
  std::ranges::sort(order);
  std::vector<StackLine> out;
  out.reserve(lines.size());
  for (const auto& [value, index] : order) out.push_back(lines[index]);
  return out;
}

}  // namespace

Status write_text(const Profile& profile, const WriteOptions& options, Sink& sink) {
  const MergedStacks stacks = merge_stacks(profile, {.annotate_kernel = options.annotate_kernel,
                                                     .addresses = options.addresses,
                                                     .by_process = true,
                                                     .by_thread = options.per_thread,
                                                     .value_index = *options.value_index});
  Writer out{sink};
  for (const StackLine& line : ascending(stacks.lines)) {
    write_frames(stacks, line, options.delimited, out);
    const std::string task =
        options.per_thread ? fmt::format("{}/{}", line.pid, line.tid) : std::to_string(line.pid);
    out << fmt::format("    {:<16} {} ({})\n", "-", stacks.text(line.label), task);
    out << "        " << line.value << "\n\n";
    if (out.failed()) break;
  }
  return out.finish();
}

}  // namespace wick
