// Waits that began before a run or are not over at its end, of processes a person chose: a task
// iterator gives them their stack at the beginning and counts them at the end. bcc leaves them
// out; system-wide Wick does too, as every daemon's sleep would be the whole run long.
#pragma once

#include "tool/stack/offcpu_options.h"
#include "tool/stack/stack_run.h"

namespace wick {

// What an object that includes offcpu.bpf.h has for them.
struct WholeWaitsParts {
  bpf_program* at_start;
  bpf_program* at_end;
  u64* armed_ns;
  u64* ended_ns;
  bool* mending;

  [[nodiscard]] static Result<WholeWaitsParts> of(const BpfObject& object) {
    return WholeWaitsParts{TRY(object.program("at_start")), TRY(object.program("at_end")),
                           TRY(object.variable<u64>("armed_ns")),
                           TRY(object.variable<u64>("ended_ns")),
                           TRY(object.variable<bool>("mending"))};
  }
};

// Whether this run asks for chosen tasks; by cgroup they cannot be looked up
// (bpf/lib/filter.bpf.h). With -M too they are left out: nobody knows how long a wait is that began
// before we looked.
[[nodiscard]] bool has_whole_waits(const OffCpuOptions& options, bool starts_command);

class WholeWaits {
 public:
  // After the load.
  WholeWaits(StackRunBase& run, WholeWaitsParts parts) : run_(run), parts_(parts) {}

  // After the programs are attached; arms the run.
  [[nodiscard]] Status begin();
  // While it goes on: a wait that began before its process had tables has its stack mended when
  // they are there. For StackRunBase::collect().
  [[nodiscard]] CollectLimits limits();
  // Nothing that happens from now on counts. Before they are detached: that takes 20 ms.
  void stop();
  // After they are detached.
  [[nodiscard]] Status end();

 private:
  [[nodiscard]] Status mend();
  [[nodiscard]] Result<bool> mend_when_due();

  StackRunBase& run_;
  WholeWaitsParts parts_;
  u64 next_ns_ = 0;
  u64 seen_unfinished_ = 0;
  u32 seen_lists_ = 0;
};

}  // namespace wick
