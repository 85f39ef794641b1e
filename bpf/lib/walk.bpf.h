/* SPDX-License-Identifier: GPL-2.0 */
/* Walks of the current task's stacks into a record: the kernel's by its own helper, the user's by
 * tables or frame pointers. */
#pragma once

#include "bpf/abi/stacks.h"
#include "bpf/lib/frame_pointer.bpf.h"
#include "bpf/arch/registers.bpf.h"
#include "bpf/lib/unwind.bpf.h"

const volatile u32 max_depth = WICK_KERNEL_WALK_DEPTH;

static __always_inline void count_loss(struct wick_stack_totals *sum,
				       struct wick_stack_record *record, enum wick_loss cause)
{
	sum->losses[cause]++;
	record->missed |= 1U << cause;
}

/* The frame that says so stands between the kernel's and the user's. */
static __always_inline void count_cut_kernel(struct wick_stack_totals *sum,
					     struct wick_stack_record *record)
{
	count_loss(sum, record, WICK_LOSS_CUT_STACK);
	record->missed |= 1U << WICK_LOSS_CUT_KERNEL;
}

static __always_inline void count_cut_user(struct wick_stack_totals *sum,
					   struct wick_stack_record *record)
{
	count_loss(sum, record, WICK_LOSS_CUT_STACK);
	record->stop = WICK_STOP_CUT;
}

static __always_inline void walk_kernel(void *ctx, struct wick_stack_record *record,
					struct wick_stack_totals *sum)
{
	u32 limit = max_depth < WICK_KERNEL_WALK_DEPTH ? max_depth : WICK_KERNEL_WALK_DEPTH;
	long bytes = bpf_get_stack(ctx, record->frames, limit * sizeof(u64), 0);

	if (bytes <= 0) {
		count_loss(sum, record, WICK_LOSS_KERNEL_STACK);
		return;
	}
	record->kernel_depth = (u32)bytes / sizeof(u64);
	if (record->kernel_depth >= limit)
		count_cut_kernel(sum, record);
}

/* The hash reads up to three words further than the frames. */
static __always_inline void end_frames(struct wick_stack_record *record, u32 end)
{
	for (u32 i = 0; i < 3; i++)
		record->frames[(end + i) & (2 * WICK_MAX_DEPTH - 1)] = 0;
}

/* At the leaf of a walk; the buffer and the rows it may use are those of its kind of program. */
static __always_inline void begin_walk(struct unwind_walk *walk, struct wick_stack_record *record,
				       struct user_registers regs, u32 begin, u32 kind)
{
	*walk = (struct unwind_walk){
	    .pc = regs.ip,
	    .sp = regs.sp,
	    .bp = regs.bp,
	    .begin = begin,
	    .depth = 1,
	    .limit = max_depth,
	    .stop = WICK_STOP_CUT,
	    .recent = kind,
	    .exact = !regs.in_syscall,
	    .leaf = {.ip = regs.ip, .sp = regs.sp, .bp = regs.bp, .exact = !regs.in_syscall},
	    .runtime_bound = RUNTIME_NOWHERE};
	record->frames[begin] = regs.ip;
}

/* What came out of a walk, into the record and the totals. */
static __always_inline void end_walk(struct unwind_walk *walk, struct wick_stack_record *record,
				     struct wick_stack_totals *sum)
{
	record->user_depth = walk->depth;
	record->by_pointer = walk->by_pointer;
	if (unwind_by_tables) {
		record->stop = walk->stop;
		sum->table_frames += walk->by_table;
		sum->pointer_frames += walk->by_pointer;
	}
	if (walk->stop == WICK_STOP_CUT)
		count_cut_user(sum, record);
	end_frames(record, walk->begin + walk->depth);
}

/* From where the walk of this kind stands. In place, where a call more would be too much stack for
 * its callers; WICK_WALK_ONCE is for objects whose programs come here by many ways and keep no log.
 */
#ifdef WICK_WALK_ONCE
WICK_ONCE int finish_walk(struct wick_stack_record *record, struct wick_stack_totals *sum, u32 kind)
{
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_scratch, &kind);

	if (!walk || !record || !sum)
		return 0;
	unwind(walk, record, sum, 0);
	end_walk(walk, record, sum);
	return 0;
}
#endif

static __always_inline void walk_by_tables(struct wick_stack_record *record,
					   struct wick_stack_totals *sum,
					   struct user_registers regs, u32 begin, u32 kind)
{
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_scratch, &kind);

	if (!walk)
		return;
	begin_walk(walk, record, regs, begin, kind);
#ifdef WICK_WALK_ONCE
	finish_walk(record, sum, kind);
#else
	unwind(walk, record, sum, regs.log);
	end_walk(walk, record, sum);
#endif
}

static __always_inline void walk_user_frames(struct wick_stack_record *record,
					     struct wick_stack_totals *sum,
					     struct user_registers regs, u32 begin)
{
	struct frame_walk walk = {.record = record,
				  .log = regs.log,
				  .sp = regs.sp,
				  .bp = regs.bp,
				  .begin = begin,
				  .depth = 1,
				  .limit = max_depth};

	record->frames[begin] = regs.ip;
	bpf_loop(WICK_MAX_DEPTH, frame_walk_step, &walk, 0);
	record->user_depth = walk.depth;
	if (walk.cut)
		count_cut_user(sum, record);
	end_frames(record, begin + walk.depth);
}

static __always_inline void walk_user(void *ctx, struct wick_stack_record *record,
				      struct wick_stack_totals *sum, struct user_registers regs,
				      u32 kind)
{
	u32 begin = record->kernel_depth;
	u32 limit = max_depth < WICK_KERNEL_WALK_DEPTH ? max_depth : WICK_KERNEL_WALK_DEPTH;
	long bytes;

	if (begin > WICK_KERNEL_WALK_DEPTH)
		return;
	if (regs.is_64bit) {
		if (unwind_by_tables)
			walk_by_tables(record, sum, regs, begin, kind);
		else
			walk_user_frames(record, sum, regs, begin);
		return;
	}
	/* A 32-bit program: its frames are of another size, which the kernel knows. */
	bytes = bpf_get_stack(ctx, record->frames + begin, limit * sizeof(u64), BPF_F_USER_STACK);
	if (bytes <= 0) {
		count_loss(sum, record, WICK_LOSS_USER_STACK);
		return;
	}
	record->user_depth = (u32)bytes / sizeof(u64);
	if (record->user_depth >= limit)
		count_cut_user(sum, record);
}
