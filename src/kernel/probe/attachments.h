// Attachments: BPF programs of one loaded object at their probes, of every kind. They are detached
// when this object goes out of scope. A run has one; a tool that attaches some of its programs
// later or detaches them earlier has another. It must go before the object. One thread.
//
//   Attachments attached;
//   TRY(attached.attach(program, spec));       // after the load
//   TRY(attached.start());                     // sampling begins; other kinds run at once
//   attached.detach();                         // no program starts any more
#pragma once

#include <bpf/libbpf.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "kernel/probe/link.h"
#include "kernel/probe/probe_spec.h"

namespace wick {

// Before the load: how uprobes are attached is part of their program. `specs` are all of it.
void prepare_uprobes(bpf_program* program, std::span<const ProbeSpec* const> specs);

class Attachments {
 public:
  // `what` is the error's first phrase; the program's name without it.
  [[nodiscard]] Status attach(const bpf_program* program, const ProbeSpec& spec,
                              std::string_view what = {});
  [[nodiscard]] Status start();
  void detach();

  // Functions that were asked for and that the kernel does not let anyone hook.
  [[nodiscard]] u64 refused() const { return refused_; }

 private:
  [[nodiscard]] Status attach_one(const bpf_program* program, const ProbeSpec& spec,
                                  std::string_view what);
  [[nodiscard]] Status attach_uprobes(const bpf_program* program, const ProbeSpec& spec);
  [[nodiscard]] Status attach_functions(const bpf_program* program, const ProbeSpec& spec);
  [[nodiscard]] Status attach_sampling(const bpf_program* program, const SamplingSpec& sampling);

  std::vector<Link> links_;
  std::vector<Fd> multi_links_;  // of a kind that libbpf does not know
  std::vector<int> events_;      // to be started; owned by their links
  u64 refused_ = 0;
};

}  // namespace wick
