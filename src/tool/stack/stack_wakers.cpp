// The part of StackResolver that puts a waker's stack above the sleeper's.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tool/stack/stack_resolver.h"

namespace wick {
namespace {

constexpr std::string_view kInterrupt = "[interrupt]";

bool starts_with_any(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto part) { return name.starts_with(part); });
}

}  // namespace

// From the tracepoint to our program, as 6.1 to 6.18 call it.
bool StackResolver::is_hook(FrameId frame) const {
  constexpr std::array<std::string_view, 5> kHooks{"bpf_prog_", "bpf_trace_run", "__bpf_trace_",
                                                   "__traceiter_", "bpf_get_stack"};
  return starts_with_any(profile_.text(profile_.frame(frame).name), kHooks);
}

StringId StackResolver::with_offset(StringId name, u64 offset) {
  if (!options_.offsets) return name;
  return profile_.strings.intern(fmt::format("{}+{:#x}", profile_.text(name), offset));
}

// Where an interrupt woke the sleeper, what it interrupted has nothing to do with it.
bool StackResolver::cut_at_interrupt(std::size_t begin) {
  constexpr std::array<std::string_view, 3> kInterrupts{"asm_sysvec_", "asm_common_interrupt",
                                                        "asm_exc_nmi"};
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto interrupt = std::find_if(first, stack_.end(), [&](FrameId id) {
    return starts_with_any(profile_.text(profile_.frame(id).name), kInterrupts);
  });
  if (interrupt == stack_.end()) return false;
  stack_.erase(interrupt + 1, stack_.end());
  return true;
}

void StackResolver::add_waker(const StackEntry& entry) {
  const std::size_t begin = stack_.size();
  add_frames(entry);
  const bool interrupted = cut_at_interrupt(begin);
  for (std::size_t i = begin; i < stack_.size(); i++) {
    Frame frame = profile_.frame(stack_[i]);
    frame.kind = FrameKind::waker;
    stack_[i] = profile_.add_frame(frame);
  }
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(begin);
  std::reverse(first, stack_.end());
  const std::string_view comm = window_.strings().get(entry.comm);
  const u32 pid = processes_.info(entry.image).pid;
  // The name of a task has no file; its PID stands where code has its address.
  stack_.insert(
      first, profile_.add_frame({.name = profile_.strings.intern(interrupted ? kInterrupt : comm),
                                 .kind = FrameKind::waker,
                                 .address = interrupted ? 0 : pid}));
  stack_.push_back(
      profile_.add_frame({.name = profile_.strings.intern("--"), .kind = FrameKind::note}));
}

Sample StackResolver::waker_sample(const StackEntry& target, const StackEntry& waker) {
  stack_.push_back(
      profile_.add_frame({.name = profile_.strings.intern(window_.strings().get(target.comm))}));
  add_frames(waker);
  const bool interrupted = cut_at_interrupt(1);
  const std::string_view comm = window_.strings().get(waker.comm);
  return {.stack = profile_.add_stack(stack_),
          .pid = interrupted ? 0 : processes_.info(waker.image).pid,
          .tid = interrupted ? 0 : waker.tid,
          .comm = profile_.strings.intern(interrupted ? kInterrupt : comm),
          .labels = {}};
}

}  // namespace wick
