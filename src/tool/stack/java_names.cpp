#include "tool/stack/java_names.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "process/java_attach.h"

namespace wick {
namespace {

constexpr u64 kAllJvmsNs = 30 * kNanosPerSecond;

}  // namespace

void request_perf_maps(Session& session, std::span<const Jvm> jvms) {
  const u64 until = monotonic_ns() + kAllJvmsNs;
  const int stops_before = session.stop_requests();
  const auto stop = [&] {
    return session.stop_requests() > stops_before || monotonic_ns() > until;
  };
  for (const Jvm& jvm : jvms) {
    session.progress(fmt::format("asking JVM {} for its names", jvm.pid));
    if (const Status asked = request_perf_map(jvm, stop); !asked)
      session.note(fmt::format("JVM {} gave no names: {}", jvm.pid, asked.error().text()));
    if (stop()) break;
  }
  session.progress({});
}

}  // namespace wick
