// StackResolver: raw stacks become a Profile. Each address is named once, file by file, the
// kernel's in one pass over kallsyms. One thread.
//
//   StackResolver resolver{collector, profile, {.stop = …}};
//   resolver.resolve();
//   for (const StackEntry& entry : collector.entries()) profile.add_sample(resolver.sample(entry),
//   …);
#pragma once

#include <functional>
#include <vector>

#include "base/ids.h"
#include "profile/profile.h"
#include "tool/stack_collector.h"

namespace wick {

struct ResolveOptions {
  // Asked between files: true leaves the remaining addresses without a name.
  std::function<bool()> stop;
  std::function<void(std::size_t done, std::size_t files)> progress;
};

struct ResolveReport {
  u64 unnamed_frames = 0;  // addresses, not samples
  u64 unreadable_files = 0;
  bool kernel_hidden = false;  // kallsyms shows zeros
  bool interrupted = false;
};

class StackResolver {
 public:
  StackResolver(StackCollector& collector, Profile& profile, ResolveOptions options);

  void resolve();
  [[nodiscard]] Sample sample(const StackEntry& entry);
  [[nodiscard]] const ResolveReport& report() const { return report_; }

 private:
  // A user address, waiting for its file to be read.
  struct Pending {
    FileId file;
    u64 file_offset;
    u32 node;
  };

  void sort_nodes();
  void name_kernel();
  void name_files();
  void name_file(std::span<const Pending> pending);
  void name_unknown(std::span<const Pending> pending, StringId build_id);
  void set_frame(u32 node, StringId name, bool named, MappingId mapping);
  [[nodiscard]] MappingId mapping_of(u32 node, StringId build_id);

  StackCollector& collector_;
  Profile& profile_;
  ResolveOptions options_;
  ResolveReport report_;
  std::vector<ImageId> images_;  // by node, of user nodes
  std::vector<bool> is_kernel_;  // by node
  std::vector<FrameId> frames_;  // by node
  std::vector<u32> kernel_nodes_;
  std::vector<Pending> pending_;
  std::vector<FrameId> stack_;  // reused by sample()
  FrameId missed_user_;
  FrameId missed_kernel_;
};

}  // namespace wick
