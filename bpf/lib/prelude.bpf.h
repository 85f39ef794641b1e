/* SPDX-License-Identifier: GPL-2.0 */
/* First include of every BPF program. Natively (tests/bpf) the helpers are stubs. */
#pragma once

#include "bpf/lib/kernel_types.h"
#ifdef WICK_NATIVE
#define WICK_ROLLED_LOOP
#define WICK_ONCE static __attribute__((noinline, unused))
#define WICK_WITHIN(index, size) ((index) & ((size) - 1))
#include "tests/bpf/stub_helpers.h"
#else
/* In front of a loop that clang shall leave one: the verifier takes it step by step. */
#define WICK_ROLLED_LOOP _Pragma("clang loop unroll(disable)")
/* Of a function that the verifier looks at once a program, not once for each state its callers can
 * be in: it takes and gives numbers, and pointers to whole structures. */
#define WICK_ONCE __attribute__((noinline))
/* index % size, a power of two, which clang shall not leave out where it knows better: the verifier
 * does not. */
#define WICK_WITHIN(index, size)                                                                   \
	({                                                                                         \
		u64 within = (index);                                                              \
		asm volatile("%0 &= %1" : "+r"(within) : "i"((size) - 1));                         \
		within;                                                                            \
	})
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
char LICENSE[] SEC("license") = "GPL";
#endif
