// Folded stacks as a test sees them: `comm;frame;frame 12`, one a line, the root first.
// Strict on purpose: a line FlameGraph would not take is an error, not a line to skip.
#pragma once

#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace wick::test {

struct FoldedStack {
  std::vector<std::string_view> frames;  // frames[0] is the comm; views into the text read
  u64 count = 0;
};

class Folded {
 public:
  // `text` must outlive this.
  [[nodiscard]] static Result<Folded> parse(std::string_view text);

  [[nodiscard]] u64 samples() const { return samples_; }
  [[nodiscard]] std::size_t stacks() const { return stacks_.size(); }
  [[nodiscard]] std::size_t deepest() const;  // frames of the longest stack, comm not counted

  // Percent of samples with `function` anywhere on the stack (comm included), or as its leaf.
  [[nodiscard]] double total_percent(std::string_view function) const;
  [[nodiscard]] double self_percent(std::string_view function) const;

  // Percent of frames (each as often as it was sampled) that are a name, not an address.
  [[nodiscard]] double named_percent() const;

 private:
  std::vector<FoldedStack> stacks_;
  u64 samples_ = 0;
};

}  // namespace wick::test
