// `comm;user root;…;user leaf;[-;]kernel root;…;kernel leaf N`, as FlameGraph reads it. A
// differential profile has two numbers behind each stack: before and after.
#include "formats/merged_stacks.h"
#include "formats/writers.h"

namespace wick {

Status write_folded(const Profile& profile, const WriteOptions& options, Sink& sink) {
  const MergedStacks stacks = merge_stacks(profile, {.delimited = options.delimited,
                                                     .annotate_kernel = options.annotate_kernel,
                                                     .merge_kinds = true,
                                                     .folded_names = true,
                                                     .thread_labels = options.per_thread,
                                                     .value_index = *options.value_index});
  Writer out{sink};
  std::string text;
  for (const StackLine& line : stacks.lines) {
    // One piece for the Writer, which looks at its buffer each time.
    text = stacks.text(line.label);
    for (const u32 name : stacks.path(line)) {
      text += ';';
      text += stacks.text(name);
    }
    out << text << ' ';
    if (stacks.differential) out << line.before << ' ';
    out << line.value << '\n';
    if (out.failed()) break;
  }
  return out.finish();
}

}  // namespace wick
