// `comm;user root;…;user leaf;[-;]kernel root;…;kernel leaf N`, as FlameGraph reads it.
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
  for (const StackLine& line : stacks.lines) {
    out << stacks.text(line.label);
    for (const u32 name : stacks.path(line)) out << ';' << stacks.text(name);
    out << ' ' << line.value << '\n';
    if (out.failed()) break;
  }
  return out.finish();
}

}  // namespace wick
