// The stack shape: collects until the time is over, the command ends or the person stops, then
// resolves. What is left to a tool is to open, attach and detach its programs.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "profile/profile.h"
#include "tool/command/session.h"
#include "tool/run/child_process.h"
#include "tool/run/waiter.h"
#include "tool/stack/stack_collector.h"
#include "tool/stack/stack_resolver.h"

namespace wick {

struct CollectLimits {
  u64 until_ns = 0;                       // CLOCK_MONOTONIC; 0: no end
  ChildProcess* child = nullptr;          // ends with it
  std::vector<Fd> targets;                // pidfds: ends when all have ended; empty: not watched
  std::vector<int> also;                  // what a tool waits for beside its stacks
  std::function<Result<bool>()> on_wake;  // after every look; false ends it
};

// Waits and drains until one of the limits, or Ctrl-C.
[[nodiscard]] Status collect(Session& session, StackCollector& collector, CollectLimits limits);

struct CollectedProfile {
  Profile profile;
  ResolveReport report;
};

// Sees each sample before it is added: may give it labels; false leaves it out.
using LookAtSample = std::function<bool(const StackEntry& entry, Sample& sample, Profile& profile)>;

// Names everything, one sample an entry: `values(entry)` gives its values. Losses go into
// profile.info.
[[nodiscard]] Result<CollectedProfile> resolve_profile(
    Session& session, const StackWindow& window, const NameSources& names,
    std::vector<ValueType> types,
    const std::function<void(const StackEntry& entry, std::vector<i64>& values)>& values,
    const ResolveOptions& options = {}, const LookAtSample& look = {});

// "lost 0; 0 stacks cut; 3 frames without a name"
[[nodiscard]] std::string loss_summary(const StackWindow& window, const NameSources& names,
                                       const ResolveReport& report);

}  // namespace wick
