/* SPDX-License-Identifier: GPL-2.0 */
/* Time that cannot be told is shown as such, under its thread: a switch the kernel told nobody of,
 * a thread for which there was no storage (docs/decisions/0031). */
#pragma once

#include "bpf/abi/gaps.h"
#include "bpf/lib/stacks.bpf.h"

/* By enum wick_gap: how many there were, and how long. */
u64 gaps[WICK_GAP_SLOTS];
u64 gaps_ns[WICK_GAP_SLOTS];
/* Switches to a thread that nobody was told of, where the kernel's account of its time on CPUs
 * tells what is missing. */
u64 switches_made_up;

/* Threads without storage, by TID: there was no memory for it, or, before 7.0, another program was
 * at work on some storage on this CPU. Preallocated, so that it is there when memory is not. Who
 * does not fit has a gap of unknown length. */
struct unfollowed {
	u64 since_ns;
	u64 start_ns; /* of the thread: TIDs are used again */
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2048);
	__type(key, u32);
	__type(value, struct unfollowed);
} unfollowed SEC(".maps");
bool any_unfollowed;

static __always_inline void note_gap(enum wick_gap cause, u64 amount)
{
	__sync_fetch_and_add(&gaps[cause], 1);
	__sync_fetch_and_add(&gaps_ns[cause], amount);
}

/* `since_ns`: up to then its time was counted. */
static __noinline int lose_thread(struct task_struct *task, u64 since_ns)
{
	struct unfollowed thread = {.since_ns = since_ns, .start_ns = task->start_boottime};
	u32 tid = task->pid;
	struct unfollowed *before = bpf_map_lookup_elem(&unfollowed, &tid);

	any_unfollowed = true;
	if (before && before->start_ns == thread.start_ns)
		return 0;
	if (bpf_map_update_elem(&unfollowed, &tid, &thread, BPF_ANY))
		note_gap(WICK_GAP_STORAGE, 0);
	return 0;
}

/* Since when a thread has been without storage; 0: it was not. */
static __always_inline u64 take_unfollowed(struct task_struct *task)
{
	struct unfollowed *thread;
	u32 tid = task->pid;
	u64 since_ns;

	if (!any_unfollowed)
		return 0;
	thread = bpf_map_lookup_elem(&unfollowed, &tid);
	if (!thread)
		return 0;
	since_ns = thread->start_ns == task->start_boottime ? thread->since_ns : 0;
	bpf_map_delete_elem(&unfollowed, &tid);
	return since_ns;
}

/* Any task's, in the buffer of the program's kind. */
static __noinline int count_gap(struct task_struct *task, u32 kind, u32 cause, u64 amount)
{
	struct task_ids ids = ids_of(task);
	struct wick_stack_record *record = empty_record(kind, ids, true);
	struct wick_stack_key key;
	u64 comm[2] = {};

	note_gap(cause & (WICK_GAP_SLOTS - 1), amount);
	if (!record || !amount)
		return 0;
	bpf_probe_read_kernel(comm, sizeof(comm), task->comm);
	identify(record, ids, (u64)BPF_CORE_READ(task, mm), comm, WICK_TAG_NOT_ACCOUNTED);
	key = record->key;
	if (!is_counted(&key)) {
		describe_task(record, task);
		ship_record(record);
	}
	count_key(&key, amount);
	return 0;
}
