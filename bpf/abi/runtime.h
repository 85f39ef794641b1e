/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What the walks of interpreted programs (bpf/runtime/) and user space (src/runtime/) agree on,
 * whatever the runtime. What only one of them needs is in bpf/abi/runtime/NAME.h. */
#pragma once
#ifndef __bpf__
#include <linux/types.h>
#endif

#include "bpf/abi/runtime/kinds.h"

/* A frame of interpreted code in a stack: no user address has bit 63 set. What the other bits mean
 * is the runtime's business, until user space names the frame. */
#define WICK_RUNTIME_FRAME (1ULL << 63)
enum {
	/* Frames kept of a stack: as many as a stack may have. A power of two. */
	WICK_RUNTIME_MAX_FRAMES = 512,
	/* Interpreters in memory at one time, of all processes together. Number 0 means none. */
	WICK_RUNTIME_ENTRIES = 4096,
	WICK_RUNTIME_LAYOUT_WORDS = 16,
};

/* The interpreter of a process: where it is, and how its version lays things out. */
struct wick_runtime {
	__u32 kind; /* enum wick_runtime_kind */
	__u32 pad;
	__u64 layout[WICK_RUNTIME_LAYOUT_WORDS]; /* struct wick_NAME_layout */
};

/* Why frames of a runtime are missing. */
enum wick_runtime_loss {
	WICK_RUNTIME_NO_THREAD,	 /* the state of the thread was not found */
	WICK_RUNTIME_UNREADABLE, /* memory of a frame could not be read */
	WICK_RUNTIME_UNPLACED,	 /* frames whose C frame the native walk did not meet */
	WICK_RUNTIME_LOSSES,
};

/* Of one runtime, per CPU. */
struct wick_runtime_totals {
	__u64 frames;
	__u64 losses[WICK_RUNTIME_LOSSES];
};
