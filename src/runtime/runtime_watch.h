// RuntimeWatch: the interpreters of the processes that are sampled, whatever their runtime. Tells
// BPF where they are (bpf/runtime), and turns the words in stacks into functions while their
// process still lives. One thread.
//
//   entry.runtime = watch.acquire(file, {.bias = bias});         // when a process maps one
//   watch.name_frames(image, pid, record.runtime, frames);       // at every new stack, in place
//   if (RuntimeWatch::is_frame(word)) watch.function(word).name  // later, at leisure
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "runtime/runtime.h"

namespace wick {

// The interpreter in a file; most have none.
[[nodiscard]] std::shared_ptr<const RuntimeFile> find_runtime(const ElfFile& elf);
// The same as bytes, and back. `file` may be null; bytes that make no sense make the reader fail.
void pack_runtime(WireWriter& out, const RuntimeFile* file);
[[nodiscard]] std::shared_ptr<const RuntimeFile> unpack_runtime(ByteReader& in);

// What was seen of one runtime, and what was not.
struct RuntimeReport {
  std::string_view name;
  u64 frames = 0;
  std::vector<std::pair<std::string_view, u64>> losses;  // none is 0
};

class RuntimeWatch {
 public:
  using Totals = std::array<wick_runtime_totals, WICK_RUNTIME_SLOTS>;
  // Puts an entry into the BPF array runtime_entries; false when that failed.
  using Install = std::function<bool(u32 number, const wick_runtime& runtime)>;

  explicit RuntimeWatch(Install install);

  // A number for what a process has mapped; 0 when there is no room or the version is not known.
  // Equal ones are shared; each goes back by release().
  [[nodiscard]] u32 acquire(const std::shared_ptr<const RuntimeFile>& file,
                            const RuntimeProcess& process);
  void release(u32 number);

  [[nodiscard]] static bool is_frame(u64 word) { return (word & WICK_RUNTIME_FRAME) != 0; }
  // Finds out what the frames in a stack are, in the memory of process `pid`.
  void name_frames(ImageId image, u32 pid, u32 number, std::span<u64> frames);
  [[nodiscard]] const RuntimeFunction& function(u64 word) const {
    return functions_.function(word);
  }
  [[nodiscard]] static u32 line(u64 word) { return FunctionTable::line(word); }

  // Of each runtime that was met; `totals` is what BPF counted.
  [[nodiscard]] std::vector<RuntimeReport> reports(const Totals& totals) const;
  // Interpreters that were met and are not known, a sentence each.
  [[nodiscard]] std::vector<std::string> advice() const;

 private:
  struct Entry {
    std::shared_ptr<const RuntimeFile> file;
    u64 bias = 0;
    u32 users = 0;
    u64 usable_ns = 0;  // for others, when it has no users
  };

  [[nodiscard]] u32 free_number();
  [[nodiscard]] FrameNamer& namer(const Runtime& runtime);

  Install install_;
  std::vector<Entry> entries_;
  std::map<std::pair<const RuntimeFile*, u64>, u32> numbers_;
  std::array<std::unique_ptr<FrameNamer>, WICK_RUNTIME_SLOTS> namers_;
  FunctionTable functions_;
  std::array<u64, WICK_RUNTIME_SLOTS> gone_{};
  std::array<std::string, WICK_RUNTIME_SLOTS> unknown_versions_;
};

}  // namespace wick
