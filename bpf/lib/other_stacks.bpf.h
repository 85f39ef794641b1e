/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks of tasks that are not the current one, for iterators over all tasks
 * (SEC("wick_iter.s/task"): reading another's memory may sleep). The task must be off-CPU, or its
 * stack moves while we look. */
#pragma once

#include "bpf/lib/offcpu.bpf.h"
#include "bpf/lib/stacks.bpf.h"

static long unwind_other_step(u32 index, void *context)
{
	return unwind_one_step(context);
}

static __always_inline void walk_other_kernel(struct task_struct *task,
					      struct wick_stack_record *record,
					      struct wick_stack_totals *sum)
{
	u32 limit = max_depth < WICK_KERNEL_WALK_DEPTH ? max_depth : WICK_KERNEL_WALK_DEPTH;
	long bytes = bpf_get_task_stack(task, record->frames, limit * sizeof(u64), 0);

	if (bytes <= 0) {
		count_loss(sum, record, WICK_LOSS_KERNEL_STACK);
		return;
	}
	record->kernel_depth = (u32)bytes / sizeof(u64);
	if (record->kernel_depth >= limit)
		count_cut_kernel(sum, record);
}

/* By tables where there are some, else by frame pointers: one walk knows both. Without
 * interpreted frames. */
static __always_inline void walk_other_user(struct task_struct *task,
					    struct wick_stack_record *record,
					    struct wick_stack_totals *sum)
{
	struct user_registers regs = saved_registers(task);
	u32 tgid = record->tgid, begin = record->kernel_depth & 127, kind = SCRATCH_OTHER;
	struct wick_unwind_process *process = bpf_map_lookup_elem(&unwind_processes, &tgid);
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_scratch, &kind);
	struct unwind_context context = {.walk = walk,
					 .record = record,
					 .runtime = bpf_map_lookup_elem(&runtime_scratch, &kind),
					 .other = task};

	if (!walk || !context.runtime)
		return;
	if (!regs.is_64bit) {
		count_loss(sum, record, WICK_LOSS_USER_STACK);
		return;
	}
	begin_walk(walk, record, regs, begin, kind);
	if (process && unwind_by_tables)
		walk->process = *process;
	bpf_loop(WICK_MAX_DEPTH, unwind_other_step, &context, 0);
	end_walk(walk, record, sum);
}

/* As take_stack(), of a task that is off-CPU. `again`: of a wait that was counted; only the user
 * stack is of interest, as the kernel shows no frames of the scheduler to others. */
static __always_inline struct wick_stack_record *
take_other_stack(struct task_struct *task, struct task_ids ids, u32 tag, bool again)
{
	struct wick_stack_record *record = empty_record(SCRATCH_OTHER, ids, true);
	struct wick_stack_totals *sum = stack_totals();
	u64 address_space = (u64)BPF_CORE_READ(task, mm), comm[2] = {};

	if (!record || !sum)
		return 0;
	if (!again)
		sum->samples++;
	if (want_kernel && !again)
		walk_other_kernel(task, record, sum);
	if (want_user && address_space)
		walk_other_user(task, record, sum);
	bpf_probe_read_kernel(comm, sizeof(comm), task->comm);
	identify(record, ids, address_space, comm, tag);
	return record;
}

/* Tells user space what the key stands for, without a look whether it knows. */
static __always_inline bool announce_other(struct wick_stack_record *record,
					   struct task_struct *task)
{
	describe_task(record, task);
	return ship_record(record);
}

/* Whether a stack that was taken again tells more than the one of before. */
static __always_inline bool is_mended(const struct wick_stack_record *record, u32 old_to_mend)
{
	if (!old_to_mend || !record->user_depth)
		return false;
	return old_to_mend - 1 == WICK_STOP_ROOT ? record->stop == WICK_STOP_ROOT
						 : !stopped_early(record->stop);
}

/* Gives `record` the key of a whole stack: the kernel's frames of `old`, the user's of `user`. Both
 * are announced. */
static __always_inline bool announce_mended(struct wick_stack_record *record,
					    struct wick_stack_key old, struct wick_stack_key user)
{
	struct wick_mended_record mended = {
	    .type = WICK_RECORD_MENDED, .tag = record->tag, .kernel = old, .user = user};

	record->key.stack = hash_finish(hash_step(old.stack, user.stack));
	mended.key = record->key;
	return bpf_ringbuf_output(&records, &mended, sizeof(mended), BPF_RB_NO_WAKEUP) == 0;
}
