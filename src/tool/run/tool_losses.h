// ToolLosses: what a tool of histograms, tables or events does not show, by cause. The causes are
// counters of the BPF program, the same in every tool that has them (bpf/lib/*.bpf.h).
//
//   const ToolLosses losses = losses_of(*run->bss);
//   session.note("128 requests in 2.00 s; " + losses.text());
//   // "lost 0", or "lost 10: 8 whose end the kernel did not report, 2 beyond those kept at a time"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

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

template <class Bss>
[[nodiscard]] ToolLosses losses_of(const Bss& bss) {
  ToolLosses out;
  if constexpr (requires { bss.ends_unseen; })
    out.add(bss.ends_unseen, "whose end the kernel did not report");
  if constexpr (requires { bss.starts_full; })
    out.add(bss.starts_full, "beyond those kept at a time");
  if constexpr (requires { bss.starts_lost; })
    out.add(bss.starts_lost, "for want of memory to keep their start");
  if constexpr (requires { bss.histogram_lost; })
    out.add(bss.histogram_lost, "beyond the histograms there is room for");
  if constexpr (requires { bss.table_lost; })
    out.add(bss.table_lost, "beyond the rows there is room for");
  if constexpr (requires { bss.events_lost; }) out.add(bss.events_lost, "for a full ring buffer");
  return out;
}

}  // namespace wick
