/* SPDX-License-Identifier: GPL-2.0 */
/* Threads that leave the CPU and come back: what the off-CPU tools share.
 *
 *   sched_switch   prev leaves: its stack is taken and announced, key and time go into its storage
 *                  next comes:  now - time is added to the key
 *
 * In storage of the thread, not of the CPU: it may come back on another one. */
#pragma once

#include "bpf/lib/gaps.bpf.h"
#include "bpf/lib/stacks.bpf.h"
#include "bpf/lib/switches.bpf.h"

/* Of task_struct::__state: gone for good. */
#define TASK_DEAD 0x80
/* A waker has it in hand. */
#define TASK_WAKING 0x200

const volatile bool user_threads_only = false;
const volatile bool kernel_threads_only = false;
/* Bounds of what is counted, in nanoseconds. */
const volatile u64 min_ns = 0;
const volatile u64 max_ns = ~0ULL;
/* Bits of task_struct::__state; runnable has none of them. */
const volatile bool filter_by_state = false;
const volatile u32 filter_state = 0;
/* Threads were chosen by number: all their time from armed_ns on is asked for. */
const volatile bool from_the_start = false;

/* Nothing is counted before; CLOCK_MONOTONIC. */
u64 armed_ns;
/* What is still open is closed as of then. */
u64 ended_ns;
/* Iterators only mend stacks now: the waits from before the run have theirs. */
bool mending;

/* For programs that wait for armed_ns. */
static __always_inline bool is_running(void)
{
	return armed_ns && !ended_ns;
}

static __always_inline bool is_kind_of_thread(struct task_struct *task)
{
	if (user_threads_only && task->flags & PF_KTHREAD)
		return false;
	return !kernel_threads_only || task->flags & PF_KTHREAD;
}

static __always_inline bool is_state(u32 state)
{
	if (!filter_by_state)
		return true;
	return filter_state ? (state & filter_state) != 0 : state == 0;
}

static __always_inline bool is_same_key(const struct wick_stack_key *a,
					const struct wick_stack_key *b)
{
	return a->task == b->task && a->stack == b->stack;
}

static __always_inline bool within_bounds(u64 wait_ns)
{
	return wait_ns >= min_ns && wait_ns <= max_ns;
}

/* Is this wait one that is looked at? Of the thread that leaves the CPU. */
static __always_inline bool is_our_wait(struct task_struct *task, struct task_ids ids, u32 state)
{
	return !(state & TASK_DEAD) && is_state(state) && is_kind_of_thread(task) &&
	       task_passes(task, ids);
}

/* The storage of a thread that leaves or comes, made where there is none. */
static __always_inline void *followed_thread(void *threads, struct task_struct *task, u64 now)
{
	void *thread = bpf_task_storage_get(threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!thread)
		lose_thread(task, now);
	return thread;
}

/* The storage of a thread that leaves, if this wait is one that is looked at. */
static __always_inline void *waiting_thread(void *threads, struct task_struct *task,
					    struct task_ids ids, u32 state, u64 now)
{
	return is_our_wait(task, ids, state) ? followed_thread(threads, task, now) : NULL;
}

/* For the tool's leave() and come_back(). The idle task is no thread. */
#define both_sides_of_switch(ctx, prev, next, state)                                               \
	do {                                                                                       \
		u64 now = bpf_ktime_get_ns();                                                      \
		if ((prev)->pid)                                                                   \
			leave(ctx, prev, state, now);                                              \
		if ((next)->pid)                                                                   \
			come_back(next, now);                                                      \
	} while (0)

/* Who the current task is, as a record without a stack. */
static __always_inline struct wick_stack_record *take_name(struct task_struct *task,
							   struct task_ids ids)
{
	struct wick_stack_record *record = empty_record(SCRATCH_SCHED, ids, true);
	struct wick_stack_totals *sum = stack_totals();
	u64 comm[2] = {};

	if (!record || !sum)
		return 0;
	sum->samples++;
	bpf_get_current_comm(comm, sizeof(comm));
	identify(record, ids, (u64)BPF_CORE_READ(task, mm), comm, 0);
	return record;
}

/* For want of what user space had not told yet. */
static __always_inline bool stopped_early(u32 stop)
{
	return stop >= WICK_STOP_NO_PROCESS && stop <= WICK_STOP_NO_FILE;
}

/* What is kept of how a user stack was walked: 1 + enum wick_stop when tables that come later may
 * tell more; 0: it is as it is. (With interpreted frames it is: iterators do not see those.) */
static __always_inline u32 to_mend(const struct wick_stack_record *record)
{
	if (!unwind_by_tables || record->runtime)
		return 0;
	return stopped_early(record->stop) || record->by_pointer ? 1 + record->stop : 0;
}

/* What iterators need to know of a thread; the first thing in what a tool keeps of it. */
struct open_wait {
	u64 since_ns; /* 0: it is on a CPU, or was not to be looked at when it left */
	u64 ran_ns;   /* on CPUs until then, by the kernel's account */
	u32 to_mend;  /* of the stack it left with */
	u32 switches; /* of the thread when it left; 0: not known */
};

static __always_inline void begin_wait(struct open_wait *wait, struct task_struct *task, u64 now)
{
	wait->switches = switches_of(task);
	wait->ran_ns = task->se.sum_exec_runtime;
	wait->since_ns = now;
}

/* Of a thread that an iterator finds off-CPU. If it comes to one just now, that counts. */
static __always_inline void begin_wait_at_start(struct open_wait *wait, struct task_struct *task)
{
	if (wait->since_ns)
		return;
	wait->switches = switches_of(task);
	wait->ran_ns = task->se.sum_exec_runtime;
	__sync_val_compare_and_swap(&wait->since_ns, 0, armed_ns);
}

/* Whether the thread was on a CPU since it left, and nobody was told. */
static __always_inline bool ran_unseen(const struct open_wait *wait, struct task_struct *task)
{
	return wait->switches && wait->switches != switches_of(task);
}

/* Of a thread that leaves: whether nothing is missing but that it came. */
static __always_inline bool came_unseen(const struct open_wait *wait, struct task_struct *task)
{
	return wait->switches && wait->switches + 1 == switches_of(task);
}

/* How long it was on CPUs since it left, of `all_ns`. */
static __always_inline u64 ran_since(const struct open_wait *wait, struct task_struct *task,
				     u64 all_ns)
{
	u64 ran_ns = task->se.sum_exec_runtime - wait->ran_ns;

	return ran_ns < all_ns ? ran_ns : all_ns;
}

/* A wait whose end was not seen, and not what came then. Not for wall, which counts runs too. */
static __always_inline void count_unseen_wait(struct open_wait *wait, struct task_struct *task,
					      u64 now)
{
	u64 all_ns = now - wait->since_ns;
	u32 cause = take_unfollowed(task) ? WICK_GAP_STORAGE : WICK_GAP_SWITCH;

	wait->since_ns = 0;
	if (wait->switches)
		all_ns -= ran_since(wait, task, all_ns);
	count_gap(task, SCRATCH_SCHED, cause, all_ns);
}

/* Of a thread that leaves for the second time: when its first wait ended, by the kernel's account;
 * 0: nobody knows, and it is counted as a gap. */
static __always_inline u64 end_of_first_wait(struct open_wait *wait, struct task_struct *task,
					     u64 now)
{
	if (!came_unseen(wait, task)) {
		count_unseen_wait(wait, task, now);
		return 0;
	}
	__sync_fetch_and_add(&switches_made_up, 1);
	return now - ran_since(wait, task, now - wait->since_ns);
}

/* From when on a thread that is met for the first time should have been followed. */
static __always_inline u64 unmet_since(struct task_struct *task, u64 now)
{
	u64 since_ns = armed_ns;

	if (!from_the_start || !since_ns)
		return now;
	if (task->start_time > since_ns)
		since_ns = task->start_time;
	return since_ns < now ? since_ns : now;
}

/* What is kept of a thread that is off-CPU, if an iterator is to take its stack: before the run is
 * on, of all who wait; later of those whose wait goes on and whose stack can be mended. */
static __always_inline void *thread_without_stack(void *threads, struct task_struct *task,
						  struct task_ids *ids)
{
	struct open_wait *wait;

	*ids = ids_of(task);
	if (!other_task_passes(task, *ids))
		return NULL;
	wait = bpf_task_storage_get(threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!wait && !mending)
		lose_thread(task, armed_ns);
	if (!wait || (wait->since_ns ? !wait->to_mend : mending))
		return NULL;
	return wait;
}
