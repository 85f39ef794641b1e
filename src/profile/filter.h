// Filter: which stacks of a profile are looked at, and how. What every command that reads a profile
// shares.
//
//   const Filter filter = TRY(Filter::compile({.focus = {"malloc"}, .collapse_recursion = true}));
//   const Profile smaller = filter.apply(profile);
//
// Patterns are RE2's: no input makes them slow. Each name is looked at once, however often it
// occurs. Stacks that become equal become one sample. Any thread may apply one.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

struct FilterSpec {
  // Patterns that match anywhere in a name. Of several of a kind one is enough.
  std::vector<std::string> focus;       // keep stacks with such a frame or command
  std::vector<std::string> ignore;      // drop them
  std::vector<std::string> hide;        // take such frames out of their stacks
  std::vector<std::string> from_frame;  // begin the stack at the outermost such frame, drop others

  std::vector<std::string> comms;  // exact
  std::vector<u32> pids;
  std::vector<std::pair<std::string, std::string>> labels;  // key and value; comm, pid, tid too

  bool collapse_recursion = false;  // a frame that called itself stands once
  bool reverse = false;             // the leaf becomes the root: who calls what is expensive

  [[nodiscard]] bool empty() const;
};

class Filter {
 public:
  // A pattern that is none is an error of usage that says where it goes wrong.
  [[nodiscard]] static Result<Filter> compile(FilterSpec spec);
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;
  ~Filter();

  [[nodiscard]] bool empty() const { return spec_.empty(); }
  [[nodiscard]] Profile apply(const Profile& profile) const;

 private:
  struct Patterns;
  class Run;
  explicit Filter(FilterSpec spec);

  FilterSpec spec_;
  std::unique_ptr<Patterns> patterns_;
};

// A function as a person names it: the one with exactly this name, or all that match it as a
// pattern when there is none.
class FunctionMatch {
 public:
  [[nodiscard]] static Result<FunctionMatch> find(const Profile& profile, const std::string& name);
  [[nodiscard]] bool matches(FrameId id) const { return frames_[id.index()]; }
  [[nodiscard]] std::size_t functions() const { return functions_; }

 private:
  std::vector<bool> frames_;  // by FrameId
  std::size_t functions_ = 0;
};

}  // namespace wick
