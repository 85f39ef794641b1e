// Budget: what one file of a stranger may cost us, and RunBudget: what all of them together may.
// Every loop over such a file spends from its Budget and ends when that says no. Work in proportion
// to the bytes that are really on disk is fine; work that a small file multiplies is not.
//
//   RunBudget run;
//   auto budget = Budget::for_file(fd, {.run = &run, .stop = [&] { return ending.load(); }});
//   const Budget::Turn turn{*budget};                       // CPU time counts from here
//   while (…)
//     if (!budget->spend(Cost::rows, 1)) return fail(budget->cause());
//   run.settle(*budget, file_name_of(fd));                  // who was refused is remembered
//
// Once it said no it never says yes again. One thread at a time; RunBudget: any thread.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"

namespace wick {

enum class Cost : u8 {
  read,       // bytes of the file, holes too
  unpacked,   // bytes that came out of a decompressor
  memory,     // bytes that are held while the file is read
  functions,  // records of .eh_frame and its like
  rows,       // of an unwind table
  stubs,      // of the PLT
  symbols,    // that are kept
  steps,      // everything else a loop does
  cpu,        // nanoseconds of this thread
  run,        // the whole run's CPU time
  stopped,    // nobody waits for the result any more
  kinds,
};

class RunBudget;

// What a file cost, and what it was refused for.
struct BudgetReport {
  u64 cpu_ns = 0;
  bool stopped = false;   // nobody waited for it any more
  std::string refused;    // why it was not read further; empty: it was
  std::string complaint;  // what was left out of it
};

// What a file's budget is part of.
struct BudgetTerms {
  RunBudget* run = nullptr;
  std::function<bool()> stop;  // true: end at once
};

class Budget {
 public:
  static constexpr u64 kMemoryLimit = u64{128} << 20;

  // `real_bytes`: how much of the file is data, not holes.
  explicit Budget(u64 real_bytes, BudgetTerms terms = {});
  [[nodiscard]] static std::shared_ptr<Budget> for_file(const Fd& fd, BudgetTerms terms = {});
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // False: that is more than the file may cost.
  [[nodiscard]] bool spend(Cost cost, u64 amount) {
    const auto at = static_cast<std::size_t>(cost);
    used_[at] += amount;
    if (used_[at] > limits_[at]) refuse(cost);
    since_look_ += cost == Cost::read || cost == Cost::unpacked ? amount / 64 : amount;
    if (since_look_ >= kLookEvery) look();
    return ok();
  }
  // Memory that is not held any more.
  void give_back(Cost cost, u64 amount) { used_[static_cast<std::size_t>(cost)] -= amount; }
  [[nodiscard]] bool ok() const { return refused_ == Cost::kinds; }
  // Why not: "more than 6,000,000 rows of unwind information". Empty while ok().
  [[nodiscard]] std::string cause() const;
  [[nodiscard]] Cost refused() const { return refused_; }
  // A part of the file was left out that no honest file has; the rest goes on.
  void complain(std::string_view cause) {
    if (complaint_.empty()) complaint_ = cause;
  }
  [[nodiscard]] const std::string& complaint() const { return complaint_; }
  [[nodiscard]] BudgetReport report() const;
  // Another file belongs to this one: its debug file.
  void admit(u64 real_bytes);
  // Lines of the source are worth more time than names.
  void admit_lines();
  // For another use of the file: what it was refused for does not count there.
  void begin_again();

  [[nodiscard]] u64 real_bytes() const { return real_bytes_; }
  [[nodiscard]] u64 used(Cost cost) const { return used_[static_cast<std::size_t>(cost)]; }
  [[nodiscard]] u64 limit(Cost cost) const { return limits_[static_cast<std::size_t>(cost)]; }
  [[nodiscard]] const BudgetTerms& terms() const { return terms_; }

  // The time that is the file's. Turns inside others are part of them.
  class Turn {
   public:
    explicit Turn(Budget& budget);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Turn(Turn&&) = delete;
    Turn& operator=(Turn&&) = delete;
    ~Turn();

   private:
    Budget* budget_;  // null: inside another turn
  };

 private:
  // A look at the clock is a system call: 0.3 us.
  static constexpr u64 kLookEvery = 16'384;

  void set_limits();
  void refuse(Cost cost) {
    if (ok()) refused_ = cost;
  }
  void look();

  BudgetTerms terms_;
  u64 real_bytes_;
  bool lines_ = false;
  std::array<u64, static_cast<std::size_t>(Cost::kinds)> limits_{};
  std::array<u64, static_cast<std::size_t>(Cost::kinds)> used_{};
  Cost refused_ = Cost::kinds;
  std::string complaint_;
  u64 since_look_ = 0;
  u64 turn_began_ns_ = 0;  // 0: nobody's turn
};

class RunBudget {
 public:
  // Names and tables of all files together.
  static constexpr u64 kCpuLimitNs = 60'000'000'000;
  // What refused files may have cost before the next ones get a tenth of the usual start.
  static constexpr u64 kWasteLimitNs = 1'000'000'000;

  struct Refused {
    std::string file;
    std::string cause;
  };

  // The file is done: adds up what it cost, and remembers it if it was refused. Who only was told
  // to stop was not.
  void settle(const BudgetReport& report, std::string_view file);
  void settle(const Budget& budget, std::string_view file) { settle(budget.report(), file); }
  // For what has no Budget of its own.
  void refuse(std::string_view file, std::string_view cause);

  [[nodiscard]] bool is_used_up() const { return cpu_ns_.load() > kCpuLimitNs; }
  [[nodiscard]] bool is_wary() const { return wasted_ns_.load() > kWasteLimitNs; }
  // As a run that refused files have cost that much: a worker reads one file of such a run.
  void make_wary() { wasted_ns_ = kWasteLimitNs + 1; }
  // Each file once, in the order they came; more than some hundred are only counted.
  [[nodiscard]] std::vector<Refused> refused() const;
  [[nodiscard]] std::map<std::string, u64> by_cause() const;
  // "2 files were not read to their end: /tmp/a (more than …), /tmp/b (…)"; "" when there is none.
  [[nodiscard]] std::string text() const;

 private:
  std::atomic<u64> cpu_ns_ = 0;
  std::atomic<u64> wasted_ns_ = 0;
  mutable std::mutex lock_;
  std::vector<Refused> refused_;
  std::map<std::string, u64> by_cause_;
  u64 not_kept_ = 0;
};

// Where an open file is, as far as the kernel knows; "" when it does not.
[[nodiscard]] std::string file_name_of(const Fd& fd);

}  // namespace wick
