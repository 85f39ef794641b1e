// What the HTML report's tree is sorted by: functions by name, stacks by their functions.
//
//   const ReportFunctions functions{profile};
//   const StackOrder order{profile, functions};
//   order.rank(a) < order.rank(b);            // a's node comes first, depth first
//
// Both keep a reference to the profile. Any thread once made: nothing changes them.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "profile/profile.h"

namespace wick {

// Behind the kinds of frames: the process's name, at the root of its stacks.
inline constexpr u8 kTaskKind = kFrameKinds;

// What a node of the tree shows: frames of one name and kind are one function, wherever they are.
struct ReportFunction {
  StringId name;
  u8 kind = 0;    // FrameKind, or kTaskKind
  StringId path;  // of the binary; of the first frame that has one, as the file
  StringId file;
  u32 line = 0;
};

class ReportFunctions {
 public:
  explicit ReportFunctions(const Profile& profile);

  [[nodiscard]] u32 of_frame(FrameId frame) const { return of_frame_[frame.index()]; }
  [[nodiscard]] u32 of_comm(StringId comm) const { return of_comm_.at(comm.value()); }
  [[nodiscard]] const std::vector<ReportFunction>& all() const { return all_; }

 private:
  void collect();
  void sort();

  const Profile& profile_;
  std::vector<ReportFunction> all_;
  std::vector<u32> of_frame_;
  std::map<u32, u32> of_comm_;
};

// The stacks that have samples, in the order of the tree; equal by name, equal in rank.
class StackOrder {
 public:
  StackOrder(const Profile& profile, const ReportFunctions& functions);

  [[nodiscard]] u32 rank(StackId stack) const { return ranks_[stack.index()]; }
  // The function at `depth` from the root.
  [[nodiscard]] u32 function(std::span<const FrameId> stack, std::size_t depth) const {
    return functions_.of_frame(stack[stack.size() - 1 - depth]);
  }
  // How many functions two stacks share from the root on.
  [[nodiscard]] std::size_t shared(StackId left, StackId right) const;

 private:
  struct Entry {
    u64 key;  // as many functions from the root as fit: most comparisons end here
    StackId stack;
  };

  [[nodiscard]] std::vector<Entry> entries() const;
  [[nodiscard]] u64 key(StackId id) const;
  [[nodiscard]] std::strong_ordering compare(const Entry& left, const Entry& right) const;
  void sort(std::vector<Entry> entries);

  const Profile& profile_;
  const ReportFunctions& functions_;
  unsigned bits_;           // of one function in a key
  std::size_t keyed_;       // functions in a key
  std::vector<u32> ranks_;  // by StackId
};

}  // namespace wick
