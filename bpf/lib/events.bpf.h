/* SPDX-License-Identifier: GPL-2.0 */
/* The event stream shape: each event goes to user space by itself. Its struct begins with a
 * wick_event_head and has the tool's own prefix.
 *
 *   struct wick_sched_event *event = new_event(struct wick_sched_event);
 *   if (!event)
 *           return 0;             // counted
 *   event->tid = task->pid;
 *   send_event(event);
 */
#pragma once

#include "bpf/abi/events.h"

/* User space sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 18);
} events SEC(".maps");

/* User space looks by itself now and then; it is woken when there is this much. */
const volatile u64 wake_bytes = 1 << 16;
u64 events_lost;

static __always_inline void *event_room(u64 size)
{
	struct wick_event_head *head = bpf_ringbuf_reserve(&events, size, 0);

	if (!head) {
		__sync_fetch_and_add(&events_lost, 1);
		return NULL;
	}
	__builtin_memset(head, 0, size);
	head->time_ns = bpf_ktime_get_ns();
	head->lost = events_lost;
	return head;
}

#define new_event(type) ((type *)event_room(sizeof(type)))

static __always_inline void send_event(void *event)
{
	bool much = bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) > wake_bytes;

	bpf_ringbuf_submit(event, much ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}
