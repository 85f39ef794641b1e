/* SPDX-License-Identifier: GPL-2.0 */
/* Locks with what was waited for and held of them, and threads with what they wait for and hold.
 * For wick mutex. */
#pragma once

#include "bpf/abi/locks.h"
#include "bpf/lib/stacks.bpf.h"

u64 wait_losses[WICK_WAIT_LOSSES];
u32 last_lock_id;

/* Locks that were waited for, or, with --hold, held; user space sets the size (--locks). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct wick_lock_key);
	__type(value, struct wick_lock_stats);
} locks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, u32); /* TID */
	__type(value, struct wick_lock_thread);
} threads SEC(".maps");

/* A value of that size does not fit on the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wick_lock_thread);
} no_locks SEC(".maps");

static __always_inline void lose(enum wick_wait_loss cause)
{
	__sync_fetch_and_add(&wait_losses[cause], 1);
}

static __always_inline struct wick_lock_thread *locks_of(u32 tid)
{
	struct wick_lock_thread *thread = bpf_map_lookup_elem(&threads, &tid);
	u32 zero = 0;

	if (thread)
		return thread;
	thread = bpf_map_lookup_elem(&no_locks, &zero);
	if (!thread)
		return 0;
	if (bpf_map_update_elem(&threads, &tid, thread, BPF_NOEXIST)) {
		lose(WICK_WAIT_LOSS_THREADS);
		return 0;
	}
	return bpf_map_lookup_elem(&threads, &tid);
}

static __always_inline struct wick_lock_stats *stats_of(struct wick_lock_key *key, u32 flags)
{
	struct wick_lock_stats *stats = bpf_map_lookup_elem(&locks, key), first = {};

	if (stats)
		return stats;
	first.id = __sync_fetch_and_add(&last_lock_id, 1) + 1;
	first.flags = flags;
	if (bpf_map_update_elem(&locks, key, &first, BPF_NOEXIST) &&
	    !bpf_map_lookup_elem(&locks, key)) {
		lose(WICK_WAIT_LOSS_LOCKS);
		return 0;
	}
	return bpf_map_lookup_elem(&locks, key);
}

static __always_inline void keep_largest(u64 *largest, u64 value)
{
	/* Races lose a record now and then, which the next one makes good. */
	if (value > *(volatile u64 *)largest)
		*(volatile u64 *)largest = value;
}

static __always_inline struct wick_lock_hold *holding_of(struct wick_lock_thread *thread,
							 u64 address)
{
	return &thread->held[((address >> 3) ^ (address >> 7)) & (WICK_LOCK_HOLDS - 1)];
}

static __always_inline void begin_hold(struct wick_lock_thread *thread, u64 address, u64 now)
{
	struct wick_lock_hold *holding = holding_of(thread, address);

	holding->address = address;
	holding->since_ns = now;
	holding->again = 0;
}

static __always_inline void end_hold(struct wick_lock_thread *thread, struct wick_lock_key *key,
				     u64 now)
{
	struct wick_lock_hold *holding = holding_of(thread, key->address);
	struct wick_lock_stats *stats;
	u64 held_ns;

	if (holding->address != key->address)
		return;
	if (holding->again) {
		holding->again--;
		return;
	}
	holding->address = 0;
	held_ns = now - holding->since_ns;
	stats = stats_of(key, 0);
	if (!stats)
		return;
	__sync_fetch_and_add(&stats->holds, 1);
	__sync_fetch_and_add(&stats->hold_ns, held_ns);
	keep_largest(&stats->max_hold_ns, held_ns);
}

/* Adds an amount to a lock's counter of the current stack. */
static __always_inline void count_lock_stack(void *ctx, struct task_struct *task,
					     struct task_ids ids, u32 tag, u64 amount, u64 times)
{
	struct wick_stack_record *record =
	    take_stack(ctx, task, ids, SCRATCH_SCHED, true, saved_registers(task), tag);

	if (record)
		count_record(record, amount, times);
	else
		lose(WICK_WAIT_LOSS_STACK);
}
