/* SPDX-License-Identifier: GPL-2.0 */
/* What every thread's time was spent on: state kept with a thread, and how it is counted.
 *
 *              ┌── sample: the time since the last look, to the sampled stack
 *     on CPU ──┴── leaves ──► blocked (I/O, lock, …) ── woken ──► run queue ── comes ──► on CPU
 *
 * At each arrow the time since the last one is counted, so that the parts add up to the life. */
#pragma once

#include "bpf/abi/wall.h"
#include "bpf/arch/syscalls.bpf.h"
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
	u64 throttled_ns;	       /* of its cgroups, when it began to wait for a CPU */
	bool throttled;		       /* it was the one whose quota ended */
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

/* A plain lock's futex is waited for by this command while it is 2, or has its owner in it; others
 * (conditions, joins, semaphores) have other values or another command. */
#define FUTEX_COMMANDS 127
#define FUTEX_OF_LOCKS 0 /* FUTEX_WAIT */
#define FUTEX_LOCK_PI 6
#define FUTEX_LOCK_PI2 13
#define FUTEX_CONTENDED 2
#define FUTEX_HAS_OWNER 0x80000000

static __always_inline u32 futex_reason(u32 operation, u32 expects)
{
	u32 command = operation & FUTEX_COMMANDS;

	if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
		return WICK_WALL_LOCK;
	if (command == FUTEX_OF_LOCKS && (expects == FUTEX_CONTENDED || expects & FUTEX_HAS_OWNER))
		return WICK_WALL_LOCK;
	return WICK_WALL_FUTEX;
}

/* Why a thread does not run. Not in place: see count_off_cpu(). */
static __noinline u32 reason_of(struct task_struct *task, u32 state)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 args[NUMBER_WORD + 1] = {};

	if (!state)
		return WICK_WALL_QUEUE;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return WICK_WALL_IO;
	if (task->flags & PF_KTHREAD || state & TASK_STOPPED_OR_TRACED)
		return WICK_WALL_OTHER;
	if (!saved_registers(task).in_syscall)
		return WICK_WALL_FAULT;
	bpf_probe_read_kernel(args, sizeof(args), SYSTEM_CALL_WORDS(regs));
	if (args[NUMBER_WORD] == CALL_FUTEX)
		return futex_reason(args[SECOND_WORD], args[THIRD_WORD]);
	return wall_of_syscall[args[NUMBER_WORD] & (WICK_WALL_SYSCALLS - 1)];
}

/* Cgroups nest; deeper ones are not asked. */
#define WICK_QUOTA_LEVELS 8

/* How long the task's cgroups have been without CPU time for want of quota (CFS bandwidth), up to
 * now: throttles that are over, each once, on all CPUs together. */
static __always_inline u64 throttled_time_of(struct task_struct *task)
{
	struct task_group *group;
	u64 sum = 0;

	/* A kernel without CONFIG_CFS_BANDWIDTH. */
	if (!bpf_core_field_exists(((struct cfs_bandwidth *)0)->throttled_time))
		return 0;
	group = BPF_CORE_READ(task, sched_task_group);
	WICK_ROLLED_LOOP
	for (u32 i = 0; i < WICK_QUOTA_LEVELS; i++) {
		if (!group)
			break;
		sum += BPF_CORE_READ(group, cfs_bandwidth.throttled_time);
		group = BPF_CORE_READ(group, parent);
	}
	return sum;
}

/* From now on it waits for a CPU. */
static __noinline int begin_queue(struct wall_thread *thread, struct task_struct *task)
{
	thread->throttled_ns = throttled_time_of(task);
	/* From 6.18 on it is the task that is throttled, and says so. */
	thread->throttled =
	    bpf_core_field_exists(task->throttled) && BPF_CORE_READ(task, throttled);
	return 0;
}

/* Not for threads whose cgroups have never been throttled. */
static __always_inline void announce_throttled(struct wall_thread *thread,
					       struct wick_stack_record *record)
{
	if (thread->throttled_ns || thread->throttled)
		announce_as(thread, record, WICK_WALL_THROTTLED);
}

/* It waited for a CPU: how much of that was for want of quota. */
static __always_inline void count_queue(struct wall_thread *thread, struct task_struct *task,
					u64 wait_ns)
{
	u64 throttled_ns = 0;

	if (thread->known & 1U << WICK_WALL_THROTTLED) {
		throttled_ns = throttled_time_of(task) - thread->throttled_ns;
		/* Under a cgroup above its own the kernel may not count it; but it said so. */
		if (throttled_ns > wait_ns || (thread->throttled && !throttled_ns))
			throttled_ns = wait_ns;
	}
	if (throttled_ns)
		count_as(thread, WICK_WALL_THROTTLED, throttled_ns);
	if (wait_ns > throttled_ns)
		count_as(thread, WICK_WALL_QUEUE, wait_ns - throttled_ns);
}

/* Not in place: the walk that its callers do needs all the stack there is. */
static __noinline int count_off_cpu(struct wall_thread *thread, struct task_struct *task,
				    u64 wait_ns)
{
	if (thread->doing == WICK_WALL_QUEUE)
		count_queue(thread, task, wait_ns);
	else
		count_as(thread, thread->doing, wait_ns);
	return 0;
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
