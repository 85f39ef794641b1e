#include "tool/run/bpf_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "proc/memory_room.h"

namespace wick {
namespace {

// The tables of most commands take 10 MB in the kernel, which are there already.
constexpr u64 kLeastBytesToTrace = u64{8} << 20;

}  // namespace

Status AttachedPrograms::attach(BpfObject& object, bool stats) {
  TRY(check_memory_room(kLeastBytesToTrace));
  if (stats) stats_ = TRY(enable_program_stats());
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object.get()) {
    if (bpf_program__autoload(program)) programs_.push_back(program);
  }
  TRY(object.attach_all(attachments_));
  TRY(attachments_.start());
  armed_ns_ = monotonic_ns();
  return {};
}

void AttachedPrograms::detach() {
  attachments_.detach();
}

std::string AttachedPrograms::stats_text(u64 started_ns) const {
  std::string out = fmt::format("stats: armed {:.1f} ms after the start",
                                static_cast<double>(armed_ns_ - started_ns) / 1e6);
  for (const bpf_program* program : programs_) {
    const ProgramRuns runs = program_runs(program).value_or(ProgramRuns{});
    const double each =
        runs.count == 0 ? 0
                        : static_cast<double>(runs.nanoseconds) / static_cast<double>(runs.count);
    out += fmt::format("\nstats: {} ran {} times, {:.0f} ns each", bpf_program__name(program),
                       runs.count, each);
    if (runs.missed != 0) out += fmt::format(", {} times not", runs.missed);
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return out +
         fmt::format("\nstats: own CPU {:.1f} ms user, {:.1f} ms system; peak memory {:.1f} MB",
                     ms(usage.ru_utime), ms(usage.ru_stime),
                     static_cast<double>(usage.ru_maxrss) / 1024);
}

Result<BpfRun> BpfRun::open(BpfObject object, ResolvedFilter filter, std::size_t extra_ids) {
  TRY(filter.set_constants(object, extra_ids));
  return BpfRun{std::move(object), std::move(filter)};
}

Status BpfRun::choose_hooks(const std::optional<std::string>& asked) {
  TRY(wick::choose_hooks(object_, asked));
  return {};
}

Status BpfRun::load() {
  TRY(object_.load());
  return filter_.fill_maps(object_);
}

std::vector<Fd> BpfRun::targets() const {
  return filter_.by_tgid ? watch_targets(filter_.ids) : std::vector<Fd>{};
}

}  // namespace wick
