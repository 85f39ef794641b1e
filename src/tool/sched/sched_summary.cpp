#include "tool/sched/sched_summary.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "formats/json_text.h"

namespace wick {

std::string sched_table(const SchedTimeline& timeline) {
  const auto ms = [](u64 ns) { return static_cast<double>(ns) / 1e6; };
  std::string out =
      fmt::format("{:>8} {:<15} {:>10} {:>8} {:>10} {:>8} {:>9} {:>11} {:>8} {:<18} {}\n", "TID",
                  "COMM", "RAN(ms)", "RUNS", "WAITED(ms)", "WAITS", "MAX(ms)", "SLEPT(ms)",
                  "SLEEPS", "MOSTLY IN", "WOKEN BY");
  for (const SchedThread* thread : timeline.threads())
    out += fmt::format(
        "{:>8} {:<15} {:>10.3f} {:>8} {:>10.3f} {:>8} {:>9.3f} {:>11.3f} {:>8} {:<18} {}\n",
        thread->tid, printable(thread->comm), ms(thread->ran.ns), thread->ran.count,
        ms(thread->waited.ns), thread->waited.count, ms(thread->waited.max_ns),
        ms(thread->slept.ns), thread->slept.count, thread->mostly_in(), thread->mostly_woken_by());
  return out;
}

std::string sched_json(const SchedTimeline& timeline) {
  std::string out;
  for (const SchedThread* thread : timeline.threads()) {
    out += fmt::format(R"({{"pid":{},"tid":{},"comm":{})", thread->pid, thread->tid,
                       json_quoted(thread->comm));
    for (const auto& [name, amount] :
         {std::pair{"ran", thread->ran}, {"waited", thread->waited}, {"slept", thread->slept}})
      out += fmt::format(R"(,"{0}_ns":{1},"{0}_count":{2},"{0}_max_ns":{3})", name, amount.ns,
                         amount.count, amount.max_ns);
    out += fmt::format(",\"mostly_in\":{},\"woken_by\":{}}}\n", json_quoted(thread->mostly_in()),
                       json_quoted(thread->mostly_woken_by()));
  }
  return out;
}

}  // namespace wick
