// MergedStacks: a profile's stacks by the names they show, equal ones summed, in one order. Folded
// text, bcc's text and flame graphs are all read off it.
//
//   names  (sorted)   0:"-"  1:"main"  2:"read"  3:"sh"
//   lines  (sorted)   label 3 | frames 1,2 | value 7        = "sh;main;read 7"
//
// Lines are ordered frame by frame, not as text: sorting text puts "a b" before "a;c" and so splits
// the node "a" in two. A sample without a comm has its root frame for a label.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace wick {

struct MergeOptions {
  bool delimited = false;
  bool annotate_kernel = false;
  bool mark_kinds = true;      // _[k] _[j] _[i] in the names
  bool merge_kinds = false;    // equal names are one, whatever their kinds
  bool addresses = false;      // 16 hex digits in front of each name
  bool lines = false;          // " (file.c:12)" behind it, where that is known
  bool waker_ids = false;      // the PID behind a waker's name, which is its frame's address
  bool folded_names = false;   // no ';', and no number at the end that reads as a count
  bool by_process = false;     // lines of different PIDs stay apart
  bool by_thread = false;      // and of different TIDs
  bool thread_labels = false;  // the label is comm-pid/tid
  bool in_order = false;       // as they happened, or else as the profile has them; nothing summed
  bool negate = false;         // a differential's before and after change places
  std::size_t value_index = 0;
};

struct StackName {
  std::string text;
  FrameKind kind = FrameKind::user;
  bool operator==(const StackName&) const = default;
  auto operator<=>(const StackName&) const = default;
};

struct StackLine {
  u32 label = 0;  // index into names; the frames' root
  u32 pid = 0;    // 0 unless by_process
  u32 tid = 0;
  u32 size = 0;           // frames
  std::size_t begin = 0;  // into frames
  i64 value = 0;
  i64 before = 0;  // of a differential profile, whose `value` is "after"
};

struct MergedStacks {
  std::vector<StackName> names;  // sorted
  std::vector<u32> frames;       // indices into names, root first
  std::vector<StackLine> lines;  // sorted by label, frames, pid, tid; no two alike
  bool differential = false;

  [[nodiscard]] std::span<const u32> path(const StackLine& line) const {
    return std::span(frames).subspan(line.begin, line.size);
  }
  [[nodiscard]] const std::string& text(u32 name) const { return names[name].text; }
};

[[nodiscard]] MergedStacks merge_stacks(const Profile& profile, const MergeOptions& options);

// Sorts the lines by label, frames, PID and TID. `names` is how many numbers a name may have.
void sort_lines(std::vector<StackLine>& lines, std::span<const u32> frames, std::size_t names);

}  // namespace wick
