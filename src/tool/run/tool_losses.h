// ToolLosses: what a tool of histograms, tables or events does not show, by cause. The causes are
// counters of the BPF program, the same in every tool that has them (bpf/lib/*.bpf.h).
//
//   const ToolLosses losses = losses_of(run.object());
//   session.note("128 requests in 2.00 s; " + losses.text());
//   // "lost 0", or "lost 10: 8 whose end the kernel did not report, 2 beyond those kept at a time"
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "kernel/bpf/bpf_object.h"

namespace wick {

class ToolLosses {
 public:
  // `cause` reads behind a number.
  void add(u64 count, std::string_view cause) {
    if (count != 0) causes_.push_back({count, cause});
  }
  [[nodiscard]] u64 total() const;
  [[nodiscard]] std::string text() const;

 private:
  struct Cause {
    u64 count;
    std::string_view text;
  };
  std::vector<Cause> causes_;
};

// Of an object that counts them.
[[nodiscard]] ToolLosses losses_of(const BpfObject& object);
// The same, asked of whoever knows the counters: nothing where there is none of that name.
[[nodiscard]] ToolLosses losses_of(
    const std::function<std::optional<u64>(std::string_view counter)>& count);

}  // namespace wick
