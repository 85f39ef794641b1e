#include "tool/run/bpf_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <iterator>

#include "base/clock.h"
#include "kernel/kprobe_multi.h"
#include "kernel/typed_programs.h"
#include "proc/machine.h"
#include "proc/memory_room.h"

namespace wick {
namespace {

// The tables of most commands take 10 MB in the kernel, which are there already.
constexpr u64 kLeastBytesToTrace = u64{8} << 20;

}  // namespace

Status AttachedPrograms::attach(bpf_object* object, bool stats,
                                const std::vector<SampledEvent>& events) {
  TRY(check_memory_room(kLeastBytesToTrace));
  if (stats) stats_ = TRY(enable_program_stats());
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    if (!bpf_program__autoload(program)) continue;
    programs_.push_back(program);
    if (bpf_program__type(program) == BPF_PROG_TYPE_PERF_EVENT)
      TRY(sample(program, events));
    else if (is_for_many(program))
      TRY(attach_many(program));
    else
      links_.push_back(TRY(
          attach_program(program, fmt::format("attach {}", bpf_program__name(program)).c_str())));
  }
  for (EventSampler& sampler : samplers_) TRY(sampler.start());
  armed_ns_ = monotonic_ns();
  return {};
}

Status AttachedPrograms::attach_many(const bpf_program* program) {
  FunctionLinks many = TRY(attach_to_functions(program));
  refused_ += many.refused;
  std::ranges::move(many.links, std::back_inserter(links_));
  return {};
}

Status AttachedPrograms::sample(bpf_program* program, const std::vector<SampledEvent>& events) {
  const std::vector<u32> cpus = TRY(online_cpus());
  for (const SampledEvent& one : events) {
    if (one.program != bpf_program__name(program)) continue;
    const SamplePeriod period{.value = one.period, .is_frequency = false};
    samplers_.push_back(TRY(EventSampler::open(one.event, period, cpus, true)));
    TRY(samplers_.back().attach(program));
  }
  return {};
}

void AttachedPrograms::detach() {
  for (EventSampler& sampler : samplers_) sampler.stop();
  samplers_.clear();
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

}  // namespace wick
