// --ticks HZ: counts the ticks of a clock of the workload's own, which runs while it is on a CPU,
// its threads and children too. A sampler of HZ cannot have seen it more often: where a host stops
// a CPU for a while, no clock ticks there, and its CPU time goes on if the host does not say so.
// Tells `ticks=N`.
#pragma once

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "workload.h"

namespace workload {

class Ticks {
 public:
  // Threads and children that begin later are counted. Without --ticks nothing is.
  explicit Ticks(const Options& options) {
    const auto hz = static_cast<std::uint64_t>(options.number("ticks", 0));
    const int cpus = static_cast<int>(::sysconf(_SC_NPROCESSORS_CONF));
    for (int cpu = 0; hz != 0 && cpu < cpus; ++cpu) count_on(cpu, hz);
  }
  void tell_ticks() const {
    std::uint64_t ticks = 0;
    for (const perf_event_mmap_page* ring : rings_)
      ticks += __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE) / sizeof(perf_event_header);
    tell("ticks", ticks);
  }

 private:
  // A sample of nothing is its header. A ring that nobody may write to is written over and over,
  // and its head grows on.
  void count_on(int cpu, std::uint64_t hz) {
    perf_event_attr attr{};
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.freq = 1;
    attr.sample_freq = hz;
    attr.inherit = 1;
    const long fd = ::syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return;  // this CPU is offline
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* ring = ::mmap(nullptr, 2 * page, PROT_READ, MAP_SHARED, static_cast<int>(fd), 0);
    if (ring == MAP_FAILED) {
      std::perror("ticks");
      std::exit(1);
    }
    rings_.push_back(static_cast<const perf_event_mmap_page*>(ring));
  }

  std::vector<const perf_event_mmap_page*> rings_;
};

}  // namespace workload
