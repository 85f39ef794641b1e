// JitWatch: the processes that run code of no file, and what they tell about it: perf map, jitdump.
// The files are found while their process lives. They are read when names are asked for, and next
// time from there on; what was read is kept within a budget. One thread.
//
//   watch.touch(image, {pid, start, now}, mappings);       // at a sample in such memory
//   watch.names(image, moments)[i].name                    // empty: nobody knows
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "base/fd.h"
#include "proc/jit_home.h"
#include "proc/maps.h"
#include "process/image_id.h"
#include "symbols/code_names.h"
#include "symbols/jit_name.h"
#include "symbols/jitdump.h"
#include "symbols/perf_map.h"

namespace wick {

// A HotSpot JVM that was seen running Java code.
struct Jvm {
  u32 pid = 0;
  u64 start_ticks = 0;
};

// Whether code may have been written there at run time: anonymous memory, and files that are only
// memory with a name. `path` is of the mapping.
[[nodiscard]] bool is_jit_memory(std::string_view path);

class JitWatch {
 public:
  struct Sight {
    u32 pid = 0;
    u64 start_ns = 0;  // of the process, CLOCK_BOOTTIME
    u64 time_ns = 0;
  };
  // Code of no file was executed. Looks for the files, but not at every call; `mappings` is asked
  // for when it does.
  void touch(ImageId image, const Sight& sight,
             const std::function<std::vector<ProcMapping>()>& mappings);

  [[nodiscard]] std::vector<JitName> names(ImageId image, std::span<const CodeMoment> wanted,
                                           const BudgetTerms& terms = {});

  // Forgets the other images.
  void keep_only(const std::function<bool(ImageId)>& is_needed);
  [[nodiscard]] std::size_t size() const { return processes_.size(); }
  // Of names that were read.
  [[nodiscard]] std::size_t bytes() const;

  // Those that still live.
  [[nodiscard]] std::vector<Jvm> jvms() const;
  // What people should do for more names and whole stacks, a sentence each. After names().
  [[nodiscard]] std::vector<std::string> advice(bool java_was_asked) const;

 private:
  enum class Runtime : u8 { other, java, node };
  struct Process {
    u32 pid = 0;
    u64 next_look_ns = 0;
    std::optional<JitHome> home;
    Runtime runtime = Runtime::other;
    bool keeps_frame_pointers = false;
    Fd perf_map;
    Fd jitdump;
    std::unique_ptr<PerfMap> map_names;  // null: not read, or given up for others
    std::unique_ptr<Jitdump> dump_names;
    u64 asked = 0;           // when, by asks_
    bool was_asked = false;  // for names of code that ran
    bool has_names = false;
  };

  [[nodiscard]] static bool lives(const Process& process);
  static void look(Process& process, const Sight& sight, std::span<const ProcMapping> mappings);
  static void find_jitdump(Process& process, std::span<const ProcMapping> mappings);

  [[nodiscard]] static std::size_t bytes_of(const Process& process);
  static void renew_perf_map(Process& process);
  static void read_jitdump(Process& process, const BudgetTerms& terms);
  static void read_perf_map(Process& process, const BudgetTerms& terms);
  // Gives up names that were asked for longest ago, but not those of `latest`.
  void shrink(const Process& latest);

  std::unordered_map<ImageId, Process> processes_;
  u64 asks_ = 0;
};

}  // namespace wick
