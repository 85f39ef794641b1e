// Programs whose arguments the verifier knows the types of: tracepoints and iterators that hand
// out trusted tasks. libbpf's own way to them (SEC("tp_btf/…"), SEC("iter/…")) reads and indexes
// the whole BTF of the kernel, 20 ms and 8 MB; these are found together with what slim_btf.h looks
// for.
//
//   SEC("wick_tp/sched_switch")      as tp_btf/sched_switch
//   SEC("wick_iter/task")            as iter/task
//   SEC("wick_iter.s/task")          as iter.s/task: may sleep
//   SEC("wick_fentry/vfs_read")      as fentry/vfs_read; wick_fexit likewise
//
// Used by Object<S>::open(), attach_program() and run_iterator(). One thread.
#pragma once

#include <bpf/libbpf.h>

#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "kernel/btf/slim_btf.h"
#include "kernel/link.h"

namespace wick {

// Of the types that the programs of open objects are for.
[[nodiscard]] TypeIds& type_ids();

// Makes libbpf know these sections; before an object is opened, as often as one likes.
void know_typed_programs();

// The kernel function (tracepoint, iterator) a program is for: what its section says, unless it was
// given another before the load. For fentry, fexit, kprobe and kretprobe.
[[nodiscard]] std::string function_of(const bpf_program* program);
void set_function(const bpf_program* program, const std::string& function);
// Of that function or tracepoint in the kernel's own BTF; 0 where it is not (gone, inlined, in a
// module).
[[nodiscard]] u32 function_type_id(const bpf_program* program);

// Attaches a program by what its section says, ours or libbpf's.
[[nodiscard]] Result<Link> attach_program(const bpf_program* program, const char* what);

// Runs an iterator from its first object to its last.
[[nodiscard]] Status run_iterator(const bpf_program* program, const char* what);

}  // namespace wick
