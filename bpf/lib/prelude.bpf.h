/* SPDX-License-Identifier: GPL-2.0 */
/* First include of every BPF program. Natively (tests/bpf) the helpers are stubs. */
#pragma once

#include "bpf/lib/kernel_types.h"
#ifdef WICK_NATIVE
#define WICK_ROLLED_LOOP
#define WICK_ONCE static __attribute__((noinline, unused))
#include "tests/bpf/stub_helpers.h"
#else
/* In front of a loop that clang shall leave one: the verifier takes it step by step. */
#define WICK_ROLLED_LOOP _Pragma("clang loop unroll(disable)")
/* Of a function that the verifier looks at once a program, not once for each state its callers can
 * be in: it takes and gives numbers, and pointers to whole structures. */
#define WICK_ONCE __attribute__((noinline))
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
char LICENSE[] SEC("license") = "GPL";
#endif
