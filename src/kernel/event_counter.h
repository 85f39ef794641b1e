// CounterSet: events counted by the kernel itself, without sampling and without a program: each
// event at each place (a thread, a CPU, a cgroup on a CPU), read one by one, since counters that
// children inherit cannot be read as a group before Linux 6.12. One thread at a time.
//
//   CounterSet set = TRY(CounterSet::open({event}, {{.pid = 123}}, {.inherit = true}));
//   TRY(set.enable());  …  set.disable();
//   const Counts counts = TRY(set.read());
//   counts.at(unit, event).scaled();
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "kernel/perf_event.h"

namespace wick {

struct Count {
  u64 value = 0;
  u64 enabled_ns = 0;  // the time it was to count
  u64 running_ns = 0;  // the time it did: less, when a PMU's counters are shared in turns

  // What it would be, had it counted all the time.
  [[nodiscard]] u64 scaled() const;
  [[nodiscard]] double running_percent() const;
  [[nodiscard]] bool was_counted() const { return running_ns != 0; }
  Count& operator+=(const Count& other);
  // What was added since `before`.
  [[nodiscard]] Count since(const Count& before) const;
};

// A row of counts, one an event, for each unit.
class Counts {
 public:
  Counts() = default;
  Counts(std::size_t units, std::size_t events) : events_(events), all_(units * events) {}
  [[nodiscard]] Count& at(std::size_t unit, std::size_t event) {
    return all_[unit * events_ + event];
  }
  [[nodiscard]] const Count& at(std::size_t unit, std::size_t event) const {
    return all_[unit * events_ + event];
  }
  [[nodiscard]] Counts since(const Counts& before) const;

 private:
  std::size_t events_ = 0;
  std::vector<Count> all_;
};

struct CounterPlace {
  int pid = -1;  // a thread's ID, a cgroup's descriptor; -1: whoever runs there
  int cpu = -1;  // -1: wherever the thread runs
  u32 unit = 0;  // counts of the same unit are added up
};

struct CounterOptions {
  bool inherit = true;   // children, and theirs, are counted with their parent
  bool on_exec = false;  // enabled by the thread's next exec
  bool by_cgroup = false;
  std::string filter;  // of tracepoints
};

class CounterSet {
 public:
  // Events this machine does not have are left out; that none is left is an error. What only root
  // may see is counted in user space alone, and the event's name then says ":u".
  [[nodiscard]] static Result<CounterSet> open(std::vector<EventSpec> events,
                                               std::span<const CounterPlace> places,
                                               const CounterOptions& options);
  [[nodiscard]] Status enable();
  void disable();
  [[nodiscard]] Result<Counts> read() const;

  [[nodiscard]] const std::vector<EventSpec>& events() const { return events_; }
  [[nodiscard]] bool is_supported(std::size_t event) const { return refusals_[event] == 0; }
  // The kernel's answer where it is not, an errno value.
  [[nodiscard]] int refusal(std::size_t event) const { return refusals_[event]; }
  [[nodiscard]] bool fell_back() const { return fell_back_; }
  [[nodiscard]] std::size_t units() const { return units_; }

 private:
  struct Counter {
    Fd fd;
    u32 unit;
    u32 event;
  };
  [[nodiscard]] std::unexpected<Error> none_left(const CounterOptions& options) const;
  [[nodiscard]] Status open_event(u32 event, std::span<const CounterPlace> places,
                                  const CounterOptions& options);
  [[nodiscard]] Result<Fd> open_at(EventSpec& event, const CounterPlace& place,
                                   const CounterOptions& options);

  std::vector<EventSpec> events_;
  std::vector<int> refusals_;  // 0: it is counted
  std::vector<Counter> counters_;
  std::size_t units_ = 0;
  bool fell_back_ = false;
};

}  // namespace wick
