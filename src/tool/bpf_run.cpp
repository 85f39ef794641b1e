#include "tool/bpf_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "kernel/typed_programs.h"

namespace wick {

Status AttachedPrograms::attach(bpf_object* object, bool stats) {
  if (stats) stats_ = TRY(enable_program_stats());
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    if (!bpf_program__autoload(program)) continue;
    links_.push_back(
        TRY(attach_program(program, fmt::format("attach {}", bpf_program__name(program)).c_str())));
    programs_.push_back(program);
  }
  armed_ns_ = monotonic_ns();
  return {};
}

void AttachedPrograms::detach() {
  links_.clear();
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

}  // namespace wick
