// `comm;user root;…;user leaf;[-;]kernel root;…;kernel leaf N`, as FlameGraph reads it. A
// differential profile has two numbers behind each stack: before and after.
#include <algorithm>
#include <cstring>

#include "formats/writers.h"
#include "views/merged_stacks.h"

namespace wick {
namespace {

// All names one after another, each behind its ';'. A name is copied in one step of fixed size, the
// rest only if it is longer: three million of them are most of what writing folded stacks does.
class NameCopier {
 public:
  explicit NameCopier(const std::vector<StackName>& names) {
    pieces_.reserve(names.size());
    for (const StackName& name : names) {
      pieces_.push_back({.begin = text_.size(), .size = name.text.size() + 1});
      (text_ += ';') += name.text;
    }
    text_.append(kStep, '\0');
  }

  // A line's names from the label on, in a text that is good until the next call.
  [[nodiscard]] std::string_view line(u32 label, std::span<const u32> path) {
    used_ = 0;
    add(label);
    for (const u32 name : path) add(name);
    return std::string_view(line_).substr(1, used_ - 1);
  }

 private:
  static constexpr std::size_t kStep = 32;
  struct Piece {
    std::size_t begin;
    std::size_t size;
  };

  void add(u32 name) {
    const Piece piece = pieces_[name];
    const std::size_t needed = used_ + piece.size + kStep;
    if (needed > line_.size()) line_.resize(std::max(needed, 2 * line_.size()));
    std::memcpy(line_.data() + used_, text_.data() + piece.begin, kStep);
    if (piece.size > kStep)
      std::memcpy(line_.data() + used_ + kStep, text_.data() + piece.begin + kStep,
                  piece.size - kStep);
    used_ += piece.size;
  }

  std::string text_;
  std::vector<Piece> pieces_;  // by name
  std::string line_;
  std::size_t used_ = 0;
};

}  // namespace

Status write_folded(const Profile& profile, const WriteOptions& options, Sink& sink) {
  const MergedStacks stacks = merge_stacks(profile, {.delimited = options.delimited,
                                                     .annotate_kernel = options.annotate_kernel,
                                                     .merge_kinds = true,
                                                     .lines = options.lines,
                                                     .folded_names = true,
                                                     .thread_labels = options.per_thread,
                                                     .value_index = *options.value_index});
  NameCopier names{stacks.names};
  Writer out{sink};
  for (const StackLine& line : stacks.lines) {
    out << names.line(line.label, stacks.path(line)) << ' ';
    if (stacks.differential) out << line.before / options.text.divisor << ' ';
    out << line.value / options.text.divisor << '\n';
    if (out.failed()) break;
  }
  return out.finish();
}

}  // namespace wick
