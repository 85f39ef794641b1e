// Which functions of which files a process has, to put uprobes there: by name, in its program and
// every library, in a container too. The file is the one that is mapped, whatever its path says.
//
//   const std::vector<FunctionProbe> probes{{.program = …, .functions = {"pthread_mutex_lock"}}};
//   const auto files = TRY(find_probe_targets(pid, probes));
//   add_probes(object, files, probes, pid);                          // then load
//   TRY(attach_probes(object, probes, attachments));
//
// Thread rule: free functions, no state.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/probe_point.h"
#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "kernel/bpf/bpf_object.h"

namespace wick {

// Functions, and the program that stands at them.
struct FunctionProbe {
  bpf_program* program = nullptr;
  u64 cookie = 0;  // tells it which
  std::vector<std::string> functions;
  bool at_return = false;
  Arguments arguments = Arguments::one;  // that it reads
};

struct ProbeTarget {
  std::string function;
  u64 offset = 0;  // in the file: of the instruction to probe, the cheapest of its beginning
};

struct ProbedFile {
  std::string path;         // as the process sees it
  std::string attach_path;  // good while this object lives
  Fd fd;
  bool is_glibc = false;  // it has glibc's own functions
  std::vector<ProbeTarget> targets;

  // Each once: two names of one function are one place.
  [[nodiscard]] std::vector<u64> places(const std::vector<std::string>& functions) const;
};

// Of all files the process has mapped, or of `binary` alone. Files that have none of the functions
// are left out.
[[nodiscard]] Result<std::vector<ProbedFile>> find_probe_targets(
    u32 pid, std::span<const FunctionProbe> probes, const std::optional<std::string>& binary = {});

[[nodiscard]] std::vector<bpf_program*> programs_of(std::span<const FunctionProbe> probes);

// Tells the object where its programs stand in a process (0: in all); before the load.
void add_probes(BpfObject& object, std::span<const ProbedFile> files,
                std::span<const FunctionProbe> probes, u32 pid);
// Attaches them, after it.
[[nodiscard]] Status attach_probes(const BpfObject& object, std::span<const FunctionProbe> probes,
                                   Attachments& into);

}  // namespace wick
