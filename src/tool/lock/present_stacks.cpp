#include "tool/lock/present_stacks.h"

#include <array>

#include "tool/lock/lock_table.h"

namespace wick {

void PresentStacks::take(const StackEntry& entry, const Sample& sample) {
  stacks_.emplace(&entry, sample.stack);
}

WaitGraph PresentStacks::graph(const Profile& profile) const {
  return {threads_, [&](const wick_present_thread& thread) {
            const auto found = stacks_.find(collector_.window().find(thread.stack));
            return found == stacks_.end() ? std::string{}
                                          : std::string(futex_kind(profile, found->second, false));
          }};
}

WaitStory PresentStacks::story(const WaitGraph& graph, const Profile& profile,
                               const LockNames& names) const {
  return {.graph = graph,
          .lock_name =
              [&names](const wick_present_thread& thread) {
                return names.resolve(thread.tgid, std::array{u64{thread.address}}).front();
              },
          .stack =
              [this, &profile](const wick_present_thread& thread) {
                std::vector<StackLine> lines;
                const auto found = stacks_.find(collector_.window().find(thread.stack));
                if (found == stacks_.end()) return lines;
                for (const FrameId id : profile.stack(found->second)) {
                  const Frame& frame = profile.frame(id);
                  lines.push_back({frame.address, std::string(profile.strings.get(frame.name))});
                }
                return lines;
              }};
}

std::string PresentStacks::text(const Profile& profile, const LockNames& names,
                                std::size_t limit) const {
  const WaitGraph waits = graph(profile);
  const std::string text = wait_graph_text(story(waits, profile, names), limit);
  return text.empty() ? text : "\n" + text;
}

std::string PresentStacks::json(const Profile& profile, const LockNames& names) const {
  const WaitGraph waits = graph(profile);
  return wait_graph_json(story(waits, profile, names));
}

}  // namespace wick
