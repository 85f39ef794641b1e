/* SPDX-License-Identifier: GPL-2.0 */
/* wick runqlat: how long a task waits for a CPU, from being woken or pushed aside until it runs. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/histogram.bpf.h"
#include "bpf/lib/switches.bpf.h"
#include "bpf/lib/task_key.bpf.h"

/* Since when a task waits; 0 while it does not. With the task, so it follows it from CPU to CPU and
 * goes with it. Who waited before we came has none, and is not counted. */
struct wait {
	u64 since;
	u64 switches; /* of the task until then: one more, and the wait ended unseen */
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait);
} queued SEC(".maps");

u64 starts_lost;
/* Some switches from the idle task are told to nobody, neither BPF nor perf (seen on 6.18). */
u64 switches_unseen;

static __always_inline struct wait *wait_of(struct task_struct *task)
{
	struct wait *wait;

	if (!task->pid || !any_task_passes(task))
		return NULL;
	wait = bpf_task_storage_get(&queued, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!wait)
		__sync_fetch_and_add(&starts_lost, 1);
	return wait;
}

static __always_inline void begin_wait(struct wait *wait, struct task_struct *task)
{
	if (wait->since)
		__sync_fetch_and_add(&switches_unseen, 1);
	wait->since = bpf_ktime_get_ns();
	wait->switches = switches_of(task);
}

static __always_inline int on_queue(struct task_struct *task)
{
	struct wait *wait;

	/* Woken before it was off its CPU: it just runs on. */
	if (task->on_cpu)
		return 0;
	wait = wait_of(task);
	/* Pushed aside on its way to sleep, it waits already. */
	if (wait && (!wait->since || wait->switches != switches_of(task)))
		begin_wait(wait, task);
	return 0;
}

/* Stands first because it is attached first: a wait whose end is not seen would last until the
 * next one's. */
SEC("wick_tp/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	struct wait *wait;
	u64 now, since;

	if (preempt || !prev_state) {
		wait = wait_of(prev);
		if (wait)
			begin_wait(wait, prev);
	}
	wait = bpf_task_storage_get(&queued, next, NULL, 0);
	if (!wait || !wait->since)
		return 0;
	now = bpf_ktime_get_ns();
	since = wait->since;
	wait->since = 0;
	if (wait->switches != switches_of(next))
		__sync_fetch_and_add(&switches_unseen, 1);
	else if (now >= since)
		histogram_add((struct wick_histogram_key){.first = task_key_of(next)},
			      task_key_name(next), now - since);
	return 0;
}

#include "bpf/lib/wakeups.bpf.h"
