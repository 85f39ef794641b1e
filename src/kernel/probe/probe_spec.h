// ProbeSpec: where a BPF program runs, as data. BpfObject makes one from every section it knows
// (SEC("kprobe/vfs_read")); a tool changes it, and what has no sections (a compiled script) writes
// its own. Attachments attaches any kind. Plain values; any thread.
//
//   ProbeSpec{.program = "on_lock", .kind = ProbeKind::uprobe, .target = "/usr/lib/libc.so.6",
//             .places = {{.address = 0x8c37e, .cookie = 1}}, .pid = 42}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "kernel/perf_event.h"

namespace wick {

enum class ProbeKind : u8 {
  kprobe,  // a kernel function by name, or many by address with one event each
  kretprobe,
  kprobe_multi,  // many kernel functions by one link (5.18, with CONFIG_FPROBE)
  kretprobe_multi,
  fentry,  // a kernel function by its BTF
  fexit,
  tracepoint,        // "category/name", with the fields that tracefs describes
  raw_tracepoint,    // "name", with untyped arguments
  typed_tracepoint,  // "name", with arguments the verifier knows the types of
  uprobe,            // places in a file's code
  uretprobe,
  sampling,  // every so many ticks of an event, on the chosen CPUs
  iterator,  // run by run_iterator() or read_iterator(), not attached
};

struct ProbePlace {
  u64 address = 0;  // of a kernel function; of an instruction as an offset in the file
  u64 cookie = 0;   // bpf_get_attach_cookie() returns it
  friend bool operator==(const ProbePlace&, const ProbePlace&) = default;
};

struct SamplingSpec {
  EventSpec event;
  SamplePeriod period;
  std::vector<u32> cpus;
  bool include_idle = false;
};

struct ProbeSpec {
  std::string program;  // its name in the object
  ProbeKind kind = ProbeKind::kprobe;
  std::string target;              // function, tracepoint, or any name of a file
  std::vector<ProbePlace> places;  // of uprobes and of kprobes on many functions
  u64 cookie = 0;                  // of a probe with one place
  u32 pid = 0;                     // of uprobes; 0: all processes
  std::optional<SamplingSpec> sampling = {};

  // Whether there is something to attach: SEC("uprobe") alone says no place.
  [[nodiscard]] bool is_complete() const;
  // A kprobe of either form without a name: its functions come as places.
  [[nodiscard]] bool is_for_many() const;
  [[nodiscard]] bool is_on_return() const;
  [[nodiscard]] bool is_uprobe() const;
  // The name in the kernel's BTF of what it is attached to; "" for kinds that do not go by types.
  [[nodiscard]] std::string type_name() const;
};

// What a section says; nothing for one that is not known here.
[[nodiscard]] std::optional<ProbeSpec> probe_of_section(std::string_view program,
                                                        std::string_view section);

}  // namespace wick
