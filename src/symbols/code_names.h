// CodeNames: names of code that a runtime wrote into memory, by address and time. What perf maps
// and jitdumps are read into. One thread.
//
//   time ▲      ┌── C ──┐
//        │ ┌─ A ─┐      │      a later entry hides what it covers of earlier ones
//        └─┴─────┴──────┴──► address
//
//   CodeNames names;
//   names.add({.start = 0x1000, .size = 0x40, .time_ns = 0}, "A");
//   names.resolve({{0x1010, now}})[0]                       // "A"
//
// Memory is bounded: when it is full the older half is forgotten, since old code is what a runtime
// drops first.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace wick {

struct CodeRange {
  u64 start = 0;
  u64 size = 0;
  u64 time_ns = 0;  // when it came; 0: it was always there
};

// A place in the code of a process, when it was executed.
struct CodeMoment {
  u64 address = 0;
  u64 time_ns = 0;
};

class CodeNames {
 public:
  // Takes the place of what it covers. An empty name says that nothing is there from now on.
  void add(const CodeRange& range, std::string_view name);
  void clear();

  // The name of what was there at that moment, empty where nothing was. Of code that was only told
  // about afterwards (the JVM does so) the first name holds. The views are good until the next
  // add().
  [[nodiscard]] std::vector<std::string_view> resolve(std::span<const CodeMoment> wanted) const;

  // Number of the last added entry; name_of() knows it until it is forgotten.
  [[nodiscard]] u64 last_added() const { return forgotten_ + entries_.size(); }
  [[nodiscard]] std::string_view name_of(u64 number) const;

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] u64 forgotten() const { return forgotten_; }
  [[nodiscard]] std::size_t bytes() const {
    return entries_.capacity() * sizeof(Entry) + names_.capacity();
  }

 private:
  struct Entry {
    u64 start = 0;
    u64 last = 0;  // inclusive: a range may end with the address space
    u64 time_ns = 0;
    u32 name = 0;  // in names_
    u32 name_size = 0;
  };

  void forget_older_half();
  [[nodiscard]] std::string_view name_of(const Entry& entry) const;
  [[nodiscard]] std::vector<u32> in_order_of_time() const;

  std::vector<Entry> entries_;  // as they were added
  std::string names_;           // in the same order
  u64 forgotten_ = 0;
};

}  // namespace wick
