// StackResolver: raw stacks become a Profile. Each address is named once, file by file, the
// kernel's in one pass over kallsyms. One thread.
//
//   StackResolver resolver{window, {.processes = …}, profile, {.stop = …}};
//   resolver.resolve();
//   for (const StackEntry& entry : window.entries()) profile.add_sample(resolver.sample(entry), …);
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "base/ids.h"
#include "process/process_watch.h"
#include "profile/profile.h"
#include "runtime/runtime_watch.h"
#include "tool/stack/stack_window.h"
#include "worker/file_worker.h"

namespace wick {

// Where names come from.
struct NameSources {
  ProcessWatch& processes;
  const RuntimeWatch* runtimes = nullptr;  // of windows without interpreted frames
};

struct ResolveOptions {
  // Asked between files and inside them: true leaves the remaining addresses without a name.
  std::function<bool()> stop;
  std::function<void(std::size_t done, std::size_t files)> progress;
  bool lines = false;    // look for source lines and inlined calls too
  bool offsets = false;  // into the functions, behind their names
  // The tool's programs hang on a tracepoint: what leads from there to them is not shown.
  bool trim_hooks = false;
  // Pairs of tasks: the waker's stack is the sample's, and who was woken is its leaf.
  bool by_waker = false;
  // Of all files together; what was refused is remembered there.
  std::shared_ptr<RunBudget> budget;
  // Who reads the files; it spends from the same budget. None: they are read in this process.
  std::shared_ptr<FileWorker> worker;
};

struct ResolveReport {
  u64 unnamed_frames = 0;  // addresses, not samples
  u64 broken_samples = 0;  // whose frame pointers led nowhere before the stack's root
  u64 broken_roots = 0;    // of these: those whose walk came to a root all the same
  u64 unreadable_files = 0;
  u64 lines_files = 0;         // whose source lines were looked for
  u64 lines_found = 0;         // and that have debug information
  u64 lines_damaged = 0;       // of these: not all of it could be read
  u64 lines_without_dwo = 0;   // units whose .dwo was not found
  bool kernel_hidden = false;  // kallsyms shows zeros
  bool interrupted = false;
};

class StackResolver {
 public:
  StackResolver(const StackWindow& window, const NameSources& names, Profile& profile,
                ResolveOptions options);

  void resolve();
  // Leaves out what is above a broken frame.
  [[nodiscard]] Sample sample(const StackEntry& entry);
  // After the last sample.
  [[nodiscard]] ResolveReport report() const;

 private:
  // A user address, waiting for its file to be read.
  struct Pending {
    FileId file;
    u64 file_offset;
    u32 node;
  };

  void mark_entries();
  void sort_nodes();
  void name_kernel();
  void name_interpreted(u32 node);
  void name_jit();
  void name_jit(std::span<const Pending> of_one_image);
  void name_files();
  void name_file(std::span<const Pending> pending);
  [[nodiscard]] BudgetTerms terms() const {
    return {.run = options_.budget.get(), .stop = options_.stop};
  }
  void name_unknown(std::span<const Pending> pending);
  void name_place(const Pending& pending, const NamesAnswer& answer, const NamedPlace& place,
                  MappingId mapping);
  // The frames of one entry, leaf first, onto the end of stack_.
  void add_frames(const StackEntry& entry);
  [[nodiscard]] bool is_hook(FrameId frame) const;
  // Those of a waker, root first and marked as its own.
  void add_waker(const StackEntry& entry);
  // What an interrupt interrupted is taken off stack_ from `begin` on. True: there was one.
  bool cut_at_interrupt(std::size_t begin);
  [[nodiscard]] Sample waker_sample(const StackEntry& target, const StackEntry& waker);
  [[nodiscard]] StringId with_offset(StringId name, u64 offset);
  [[nodiscard]] FrameId stop_frame(const StackEntry& entry, std::string_view reason, u32 root);
  void set_frame(u32 node, StringId name, bool named, MappingId mapping,
                 const NamesAnswer* answer = nullptr, const SourceSpot& spot = {});
  [[nodiscard]] MappingId mapping_of(u32 node, StringId build_id);

  const StackWindow& window_;
  ProcessWatch& processes_;
  const RuntimeWatch* runtimes_;
  Profile& profile_;
  ResolveOptions options_;
  ResolveReport report_;
  std::vector<ImageId> images_;  // by node, of user nodes
  std::vector<bool> is_kernel_;  // by node
  std::vector<bool> is_image_;   // by node: an image's own, above its user frames
  std::vector<bool> is_leaf_;    // by node: the sampled place itself, not a return address
  std::vector<bool> is_broken_;  // by node
  std::vector<FrameId> frames_;  // by node
  std::unordered_map<u32, std::vector<FrameId>> inlined_;  // by node, innermost first
  std::vector<u32> kernel_nodes_;
  std::vector<Pending> pending_;
  std::vector<Pending> jit_;    // in memory a runtime may have written code to
  std::vector<FrameId> stack_;  // reused by sample()
  FrameId missed_user_;
  FrameId missed_kernel_;
  FrameId cut_kernel_;
};

}  // namespace wick
