/* SPDX-License-Identifier: GPL-2.0 */
/* wick cpudist: how long tasks run at a time, or (off_cpu) how long they are away. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/histogram.bpf.h"
#include "bpf/lib/task_key.bpf.h"

const volatile bool off_cpu = false;
const volatile bool include_idle = false;

/* What this CPU runs and since when: nobody moves while running. Nothing before the first switch,
 * so that what ran before we came is not counted. */
struct running {
	u64 since;
	s32 tid;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct running);
} running SEC(".maps");

/* Since when a task is away: with the task, since it may come back on another CPU. The idle tasks,
 * all of PID 0, are one each CPU, and so each has its own. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u64);
} away_since SEC(".maps");

u64 starts_lost;
/* Some switches from the idle task are told to nobody, neither BPF nor perf (seen on 6.18). */
u64 switches_unseen;

static __always_inline bool is_counted(struct task_struct *task)
{
	return (include_idle || task->pid) && any_task_passes(task);
}

static __always_inline void count(struct task_struct *task, u64 ns)
{
	histogram_add((struct wick_histogram_key){.first = task_key_of(task)}, task_key_name(task),
		      ns);
}

static __always_inline void count_running(struct task_struct *prev, struct task_struct *next,
					  u64 now)
{
	u32 zero = 0;
	struct running *slot = bpf_map_lookup_elem(&running, &zero);
	struct running began;

	if (!slot)
		return;
	began = *slot;
	slot->since = now;
	slot->tid = next->pid;
	if (!began.since || !is_counted(prev))
		return;
	if (began.tid != prev->pid)
		__sync_fetch_and_add(&switches_unseen, 1);
	else if (now >= began.since)
		count(prev, now - began.since);
}

static __always_inline void count_away(struct task_struct *prev, struct task_struct *next, u64 now)
{
	u64 *since, began;

	if (is_counted(prev)) {
		since =
		    bpf_task_storage_get(&away_since, prev, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (since)
			*since = now;
		else
			__sync_fetch_and_add(&starts_lost, 1);
	}
	since = bpf_task_storage_get(&away_since, next, NULL, 0);
	if (!since || !*since)
		return;
	began = *since;
	*since = 0;
	if (now >= began)
		count(next, now - began);
}

SEC("wick_tp/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	u64 now = bpf_ktime_get_ns();

	if (off_cpu)
		count_away(prev, next, now);
	else
		count_running(prev, next, now);
	return 0;
}
