// Profile: stacks with values, as pure data. Collectors and readers fill one, writers show it.
//
//   strings ◄── frames ◄── stacks ◄── samples ──► values (one per value type)
//                 │
//                 └──► mappings (the file a frame's code came from)
//
// A stack is leaf first. Kernel frames, where there are any, come before the user's.
// Everything is interned: equal texts, frames and stacks have equal ids. One thread at a time.
#pragma once

#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/ids.h"
#include "profile/string_table.h"

namespace wick {

using MappingId = Id<struct MappingTag>;
using FrameId = Id<struct FrameTag>;
using StackId = Id<struct StackTag>;

enum class FrameKind : u8 {
  user,
  kernel,
  jit,      // shown as name_[j]
  inlined,  // shown as name_[i]
  note,     // not code: "[missed user stack]", "[stopped: …]"
  waker,    // shown as name_[w]: the stack of who woke, above the sleeper's
  waiting,  // not code: "[lock]", what the thread waits for
};

inline constexpr std::size_t kFrameKinds = 7;

// Mapping 0 is "none": frames without a file.
struct Mapping {
  StringId path;
  StringId build_id;  // lower-case hex
  u64 start = 0;      // where the file's bytes at `file_offset` stood in memory
  u64 limit = 0;
  u64 file_offset = 0;
  bool operator==(const Mapping&) const = default;
};

struct Frame {
  StringId name;  // never empty: an unknown address has a name that says where it is
  MappingId mapping;
  StringId file;  // source file; empty when not known
  u32 line = 0;
  FrameKind kind = FrameKind::user;
  bool named = true;  // false: `name` is made up from the address, no symbol covers it
  u64 address = 0;    // 0 when frames were merged by name
  bool operator==(const Frame&) const = default;
};

struct Label {
  StringId key;
  StringId text;  // empty: the label is a number
  i64 number = 0;
  StringId unit;
  bool operator==(const Label&) const = default;
};

struct ValueType {
  std::string type;  // "samples", "cpu"
  std::string unit;  // "count", "nanoseconds"
  bool operator==(const ValueType&) const = default;
};

struct Sample {
  StackId stack;
  u32 pid = 0;
  u32 tid = 0;  // 0: summed over the threads of `pid`
  StringId comm;
  std::vector<Label> labels;
};

// Something that should be in the profile and is not, or not whole. Said in every output.
struct Loss {
  std::string cause;  // "ring buffer full"
  u64 count = 0;
};

// One event of a sample, where the source told when each happened. For the heat map.
struct Moment {
  u64 time_ns = 0;  // any clock; only differences mean something
  u32 sample = 0;   // index into samples()
  i64 value = 0;    // of the shown value (ProfileInfo::default_value)
};

struct ProfileInfo {
  std::string title;    // "CPU", for a picture's heading
  std::string command;  // as typed
  std::string host;
  std::string kernel;
  u64 start_unix_ns = 0;
  u64 duration_ns = 0;
  ValueType period_type;  // {"cpu", "nanoseconds"}
  i64 period = 0;
  u32 cpus = 0;
  std::vector<Loss> losses;
  std::size_t default_value = 0;  // the value people look at first
  // Two profiles in one: value 0 is "before", value 1 "after", in the same unit.
  bool differential = false;
  // Folded text does not tell whether a line's first frame is a command or a function: it is kept
  // as the command, and tables of functions show it too.
  bool comm_is_a_frame = false;
};

class Profile {
 public:
  Profile();

  ProfileInfo info;
  StringTable strings;

  // Values are kept beside the samples; set the types before the first sample.
  void set_value_types(std::vector<ValueType> types) { value_types_ = std::move(types); }
  [[nodiscard]] std::span<const ValueType> value_types() const { return value_types_; }
  // One more, later: 0 in the samples that are there.
  void add_value_type(ValueType type);

  MappingId add_mapping(const Mapping& mapping);
  FrameId add_frame(const Frame& frame);
  StackId add_stack(std::span<const FrameId> leaf_first);
  void add_sample(Sample sample, std::span<const i64> values);
  // For a reader that sums as it goes.
  void add_to_sample(std::size_t sample_index, std::span<const i64> values);
  void add_moment(const Moment& moment) { moments_.push_back(moment); }

  [[nodiscard]] std::span<const Mapping> mappings() const { return mappings_; }
  [[nodiscard]] std::span<const Frame> frames() const { return frames_; }
  [[nodiscard]] std::size_t stack_count() const { return stacks_.size(); }
  // The lengths of all stacks, summed: what a profile's memory mostly goes to.
  [[nodiscard]] std::size_t stack_frame_count() const { return stack_frames_.size(); }
  [[nodiscard]] std::span<const Sample> samples() const { return samples_; }
  [[nodiscard]] std::span<const Moment> moments() const { return moments_; }

  [[nodiscard]] const Mapping& mapping(MappingId id) const { return mappings_[id.index()]; }
  [[nodiscard]] const Frame& frame(FrameId id) const { return frames_[id.index()]; }
  [[nodiscard]] std::span<const FrameId> stack(StackId id) const;
  [[nodiscard]] std::span<const i64> values(std::size_t sample_index) const;
  [[nodiscard]] std::string_view text(StringId id) const { return strings.get(id); }

  // Sum of one value over all samples.
  [[nodiscard]] i64 total(std::size_t value_index = 0) const;

 private:
  struct StackRange {
    u32 begin;
    u32 size;
  };

  // An open-addressed set of indices into a vector kept elsewhere: the items are stored once.
  class IndexSet {
   public:
    template <class Equal>
    [[nodiscard]] u32* find(u64 hash, Equal equal);
    void insert(u64 hash, u32 index);

   private:
    struct Slot {
      u64 hash = 0;
      u32 index = 0;
      bool used = false;
    };
    void grow();
    std::vector<Slot> slots_;
    std::size_t used_ = 0;
  };

  std::vector<ValueType> value_types_;
  std::vector<Mapping> mappings_;
  std::vector<Frame> frames_;
  std::vector<FrameId> stack_frames_;  // all stacks, one after another
  std::vector<StackRange> stacks_;
  std::vector<Sample> samples_;
  std::vector<i64> values_;  // samples x value types
  std::vector<Moment> moments_;

  IndexSet mapping_index_;
  IndexSet frame_index_;
  IndexSet stack_index_;
};

}  // namespace wick
