// What `wick stat` found, as pure data: for each unit (everything at once, a CPU, a thread) a value
// for each event. StatSums makes one of several runs, with their mean and deviation.
// One thread at a time.
//
//   StatSums sums{events, units, supported};
//   sums.add(counts, {.elapsed_ns = …});
//   const StatTable table = sums.table();
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "kernel/event_counter.h"

namespace wick {

// The mean of values that come one by one, and how far it may be off.
class RunningMean {
 public:
  void add(double value);
  [[nodiscard]] u64 count() const { return count_; }
  [[nodiscard]] double mean() const { return mean_; }
  // The standard deviation of the mean: of the values, by the root of their number.
  [[nodiscard]] double deviation() const;
  // In percent of the mean.
  [[nodiscard]] double deviation_percent() const;

 private:
  u64 count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // of the differences from the mean
};

// Whose counts they are; neither CPU nor thread: all of what is counted.
struct StatUnit {
  std::optional<u32> cpu;
  std::optional<u32> tid;
  std::string comm;
};

struct StatValue {
  bool supported = true;
  bool counted = false;  // it was there, and the thread ran
  double value = 0;      // nanoseconds, of a clock
  double deviation_percent = 0;
  u64 enabled_ns = 0;
  double running_percent = 100;
};

// A length of time that was measured once or several times.
struct StatTime {
  double ns = 0;
  double deviation_ns = 0;
  double deviation_percent = 0;
};

struct StatTable {
  std::vector<EventSpec> events;
  std::vector<StatUnit> units;
  std::vector<StatValue> values;  // unit by unit
  u64 runs = 1;
  u64 unix_ns = 0;   // the end
  u64 since_ns = 0;  // from the start of counting to the end of this interval
  StatTime elapsed;
  std::optional<StatTime> user;  // of a command
  std::optional<StatTime> system;

  [[nodiscard]] const StatValue& at(std::size_t unit, std::size_t event) const {
    return values[unit * events.size() + event];
  }
};

struct StatTimes {
  u64 elapsed_ns = 0;
  std::optional<u64> user_ns;
  std::optional<u64> system_ns;
};

class StatSums {
 public:
  void add(const CounterSet& set, const Counts& counts, const StatTimes& times);
  [[nodiscard]] StatTable table(const std::vector<StatUnit>& units) const;

 private:
  struct Sum {
    RunningMean value;
    Count times;
    bool supported = true;
  };
  std::vector<EventSpec> events_;
  std::vector<Sum> sums_;
  RunningMean elapsed_;
  RunningMean user_;
  RunningMean system_;
};

}  // namespace wick
