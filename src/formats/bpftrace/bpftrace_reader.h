// The maps bpftrace prints when it ends, where their keys hold stacks:
//
//   @[                        @waits[ls, 4711,
//       vfs_read+170              ffffffff8156a1c0 schedule+48
//       ksys_read+103         ]: 9
//   ,
//       __read+13
//   , cat]: 3
//
// Each map is a value of its own, called as the map is; the anonymous one is "count". Keys tell no
// names, so their parts are taken for what people mostly write:
//   - an indented block is a stack, in default, `perf` or `raw` mode; an empty part has no frames;
//   - kernel or user? What the stacks of that place in the map's key say: addresses in the kernel's
//     half, entry functions of the kernel, file names, C++ names, main. Where they say nothing, of
//     several stacks the first is the kernel's (kstack, ustack) and a single one the user's;
//   - the first short text is the comm, the first number the PID, the rest labels "key 3".
// Maps without stacks, histograms and statistics are skipped and counted as losses. What stands
// outside of maps ("Attaching 1 probe...") is not looked at.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "formats/line_reader.h"
#include "profile/sample_index.h"

namespace wick {

class BpftraceReader final : public LineReader {
 public:
  explicit BpftraceReader(const ReadLimits& limits = {});

 private:
  // A part of a key: a text, or a stack as a range of lines_.
  struct Part {
    bool is_stack = false;
    StringId text;  // in texts_
    std::size_t begin = 0;
    u32 size = 0;
  };
  struct Entry {
    u32 map = 0;
    u32 part_count = 0;
    std::size_t first_part = 0;
    i64 value = 0;
  };
  struct Map {
    std::string name;
    u64 entries = 0;
    bool has_stacks = false;
    std::vector<i64> votes;           // by place in the key: above 0 for the kernel
    std::vector<bool> stacks;         // by place: was one seen there
    std::vector<bool> kernel_places;  // decided at the end
    std::size_t column = 0;
  };

  [[nodiscard]] Status line(std::string_view text) override;
  [[nodiscard]] Status end() override;
  [[nodiscard]] Status begin_map_line(std::string_view text);
  [[nodiscard]] Status inside_key(std::string_view text);
  [[nodiscard]] Status stack_line(std::string_view text);
  // What stands between two commas or brackets; true when a stack may follow.
  [[nodiscard]] Status key_texts(std::string_view text, bool closed);
  [[nodiscard]] Status end_entry(std::string_view value);
  void drop_entry(std::string_view cause);
  [[nodiscard]] Result<u32> map_named(std::string_view name);

  void decide_places();
  [[nodiscard]] Status set_value_types();
  void add_sample(const Entry& entry);
  void add_text(Sample& sample, std::size_t place, std::string_view text);
  [[nodiscard]] FrameId frame_of(u32 line, bool kernel);

  std::vector<Map> maps_;
  std::vector<Entry> entries_;
  std::vector<Part> parts_;
  std::vector<u32> lines_;  // ids of texts_, leaf first
  StringTable texts_;
  std::array<std::vector<FrameId>, 2> frames_;  // by text; [1] in the kernel
  bool in_key_ = false;
  bool stack_may_follow_ = false;
  Entry entry_;
  std::vector<FrameId> stack_;
  std::vector<i64> values_;
  SampleIndex samples_;
};

}  // namespace wick
