/* SPDX-License-Identifier: GPL-2.0 */
/* What every thread's time was spent on: state kept with a thread, and how it is counted.
 *
 *              ┌── sample: the time since the last look, to the sampled stack
 *     on CPU ──┴── leaves ──► blocked (I/O, lock, …) ── woken ──► run queue ── comes ──► on CPU
 *
 * At each arrow the time since the last one is counted, so that the parts add up to the life. */
#pragma once

#include "bpf/abi/wall.h"
#include "bpf/lib/offcpu.bpf.h"
#include "bpf/lib/other_stacks.bpf.h"

#define TASK_STOPPED_OR_TRACED 0xC

/* What a thread that blocks in a system call waits for. Filled by user space. */
const volatile u8 wall_of_syscall[WICK_WALL_SYSCALLS] = {};

struct wall_thread {
	struct open_wait wait;	       /* its time is counted up to there, on the CPU too */
	struct wick_stack_key stack;   /* it left the CPU with, without a tag */
	struct wick_stack_key sampled; /* the last since it came to the CPU; 0: none */
	u32 doing;		       /* enum wick_wall: what its time counts as now */
	u32 known;		       /* bit per tag: user space knows that key of `stack` */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wall_thread);
} threads SEC(".maps");

static __always_inline struct wick_stack_key key_of(const struct wall_thread *thread, u32 tag)
{
	return (struct wick_stack_key){.task = thread->stack.task ^ tag * WICK_HASH_ODD,
				       .stack = thread->stack.stack};
}

static __always_inline void count_as(const struct wall_thread *thread, u32 tag, u64 amount)
{
	struct wick_stack_key key = key_of(thread, tag);

	count_key(&key, amount);
}

/* Sees to it that user space knows `record` under that tag. */
static __always_inline void announce_as(struct wall_thread *thread,
					struct wick_stack_record *record, u32 tag)
{
	if (thread->known & 1U << tag)
		return;
	set_tag(record, tag);
	if (announce_stack(record))
		thread->known |= 1U << tag;
}

static __always_inline void remember_stack(struct wall_thread *thread,
					   const struct wick_stack_record *record)
{
	thread->wait.to_mend = to_mend(record);
	if (is_same_key(&thread->stack, &record->key))
		return;
	thread->stack = record->key;
	thread->known = 0;
}

/* Why a thread does not run. */
static __always_inline u32 reason_of(struct task_struct *task, u32 state)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 number = 0;

	if (!state)
		return WICK_WALL_QUEUE;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return WICK_WALL_IO;
	if (task->flags & PF_KTHREAD || state & TASK_STOPPED_OR_TRACED)
		return WICK_WALL_OTHER;
	if (!saved_registers(task).in_syscall)
		return WICK_WALL_FAULT;
	bpf_probe_read_kernel(&number, sizeof(number), &regs->orig_ax);
	return wall_of_syscall[number & (WICK_WALL_SYSCALLS - 1)];
}

/* Time of a task for which no stack was taken. */
static __always_inline void count_without_stack(struct task_struct *task, u32 tag, u64 amount)
{
	struct task_ids ids = ids_of(task);
	struct wick_stack_record *record = empty_record(SCRATCH_OTHER, ids, true);
	u64 comm[2] = {};

	if (!record)
		return;
	bpf_probe_read_kernel(comm, sizeof(comm), task->comm);
	identify(record, ids, (u64)BPF_CORE_READ(task, mm), comm, tag);
	if (announce_other(record, task))
		count_key(&record->key, amount);
}
