// PresentStacks: threads that still wait when `wick mutex` ends, and those that have what they wait
// for, with the stacks an iterator took of them. Their stacks come with the profile's, and so do
// their names. One thread.
//
//   PresentStacks present{collector, present_threads(bytes)};
//   … look = [&](auto& entry, auto& sample, auto&) { present.take(entry, sample); … }
//   present.text(profile, names, 10);
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"
#include "tool/lock/lock_names.h"
#include "tool/lock/wait_graph.h"
#include "tool/stack/stack_collector.h"

namespace wick {

class PresentStacks {
 public:
  PresentStacks(const StackCollector& collector, std::vector<wick_present_thread> threads)
      : collector_(collector), threads_(std::move(threads)) {}

  void take(const StackEntry& entry, const Sample& sample);

  [[nodiscard]] std::string text(const Profile& profile, const LockNames& names,
                                 std::size_t limit) const;
  [[nodiscard]] std::string json(const Profile& profile, const LockNames& names) const;

 private:
  [[nodiscard]] WaitGraph graph(const Profile& profile) const;
  [[nodiscard]] WaitStory story(const WaitGraph& graph, const Profile& profile,
                                const LockNames& names) const;

  const StackCollector& collector_;
  std::vector<wick_present_thread> threads_;
  std::unordered_map<const StackEntry*, StackId> stacks_;
};

}  // namespace wick
