/* SPDX-License-Identifier: GPL-2.0 */
/* wick runqlat: how long a task waits for a CPU, from being woken or pushed aside until it runs. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/histogram.bpf.h"
#include "bpf/lib/task_key.bpf.h"

/* Since when a task waits; 0 while it does not. With the task, so it follows it from CPU to CPU and
 * goes with it. Who waited before we came has none, and is not counted. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u64);
} queued SEC(".maps");

u64 starts_lost;

static __always_inline u64 *queued_since(struct task_struct *task)
{
	u64 *since;

	if (!task->pid || !any_task_passes(task))
		return NULL;
	since = bpf_task_storage_get(&queued, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!since)
		__sync_fetch_and_add(&starts_lost, 1);
	return since;
}

static __always_inline int on_queue(struct task_struct *task)
{
	u64 *since;

	/* Woken before it was off its CPU: it just runs on. */
	if (task->on_cpu)
		return 0;
	since = queued_since(task);
	/* Pushed aside on its way to sleep, it waits already. */
	if (since && !*since)
		*since = bpf_ktime_get_ns();
	return 0;
}

SEC("typed_tp/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	return on_queue(task);
}

SEC("typed_tp/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *task)
{
	return on_queue(task);
}

SEC("typed_tp/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	u64 now = bpf_ktime_get_ns(), began;
	u64 *since;

	if (preempt || !prev_state) {
		since = queued_since(prev);
		if (since)
			*since = now;
	}
	since = bpf_task_storage_get(&queued, next, NULL, 0);
	if (!since || !*since)
		return 0;
	began = *since;
	*since = 0;
	if (now >= began)
		histogram_add((struct wick_histogram_key){.first = task_key_of(next)},
			      task_key_name(next), now - began);
	return 0;
}
