// Typed tracepoints: a program in SEC("typed_tp/NAME") runs on the raw tracepoint NAME and gets its
// arguments as pointers the verifier trusts: plain loads instead of bpf_probe_read, and task
// storage. libbpf's "tp_btf" is the same, but reads the kernel's whole BTF for one number (20 ms, 8
// MB); here the number is found by BtfFile. Object<S> calls the first two. One thread, as libbpf's
// registry is.
//
//   SEC("typed_tp/sched_switch")
//   int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
#pragma once

#include <bpf/libbpf.h>

#include "base/result.h"

namespace wick {

// Tells libbpf about the section; before an object that has one is opened.
[[nodiscard]] Status register_typed_tracepoints();
// Finds what the object's programs of such sections attach to; before it is loaded.
[[nodiscard]] Status find_typed_tracepoints(bpf_object* object);
// Attaches any program by its section, these too. The link is the caller's.
[[nodiscard]] Result<bpf_link*> attach_by_section(bpf_program* program);

}  // namespace wick
