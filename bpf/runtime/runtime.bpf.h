/* SPDX-License-Identifier: GPL-2.0 */
/* Frames of interpreted programs. A runtime's walker (NAME.bpf.h) reads them from the interpreter's
 * memory before the walk up the native stack, which then puts them in (unwind.bpf.h):
 *
 *   words:   leaf │ … │ … │ … │ root      frames of the runtime
 *   bounds:  b0   │ 0 │ b1│ 0 │ 0         b0: an address in the C frame of the interpreter that
 * runs the first two, b1: in the one that runs the rest
 *
 * When the native walk leaves a C frame that holds the next bound, the frames up to there take its
 * place. No symbol is needed for it. */
#pragma once

#include "bpf/abi/runtime.h"

/* Bit per wick_runtime_kind; a walker whose bit is off is neither verified nor run. */
const volatile u32 runtimes = 0;
/* Report the instruction in each frame too. */
const volatile bool runtime_lines = false;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WICK_RUNTIME_ENTRIES);
	__type(key, u32);
	__type(value, struct wick_runtime);
} runtime_entries SEC(".maps");

/* A bound that no native frame can have: there is none. */
#define RUNTIME_NOWHERE (~0ULL)

/* The interpreted frames of a stack, leaf first. One for each kind of program, as with
 * `scratch`. */
struct runtime_stack {
	u64 words[WICK_RUNTIME_MAX_FRAMES];
	/* Of the first frame of a C frame: an address in that C frame; else 0. */
	u64 bounds[WICK_RUNTIME_MAX_FRAMES];
	u64 frame[16]; /* the one that is looked at */
	u32 count;
	u32 placed; /* so many are in the stack already */
	u32 lost;   /* bit per wick_runtime_loss */
	u32 kind;   /* enum wick_runtime_kind */
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4);
	__type(key, u32);
	__type(value, struct runtime_stack);
} runtime_scratch SEC(".maps");

static __always_inline bool runs_runtime(u32 kind)
{
	return runtimes >> kind & 1;
}

static __always_inline bool read_runtime_word(u64 address, u64 *word)
{
	return !bpf_probe_read_user(word, sizeof(*word), (void *)address);
}

/* When user space was last woken to read names. Races between CPUs cost a wake-up. */
u64 runtime_woken_ns;
enum { RUNTIME_WAKE_NS = 1000000 };

/* Names are in the process's memory, and gone with it: user space is woken for new stacks, though
 * not without end. */
static __always_inline bool wants_runtime_names(u64 now_ns)
{
	if (now_ns - runtime_woken_ns < RUNTIME_WAKE_NS)
		return false;
	runtime_woken_ns = now_ns;
	return true;
}
