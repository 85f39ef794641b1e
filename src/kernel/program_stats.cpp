#include "kernel/program_stats.h"

#include <bpf/bpf.h>

namespace wick {

Result<Fd> enable_program_stats() {
  const int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
  if (fd < 0) return fail_errno("enable BPF statistics", -fd);
  return Fd{fd};
}

Result<ProgramRuns> program_runs(const bpf_program* program) {
  bpf_prog_info info{};
  u32 size = sizeof(info);
  if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) != 0)
    return fail_errno("read BPF statistics");
  return ProgramRuns{
      .count = info.run_cnt, .nanoseconds = info.run_time_ns, .missed = info.recursion_misses};
}

}  // namespace wick
