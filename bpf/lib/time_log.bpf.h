/* SPDX-License-Identifier: GPL-2.0 */
/* When samples were taken, for views that show time: a log per CPU beside the counts, 8 bytes a
 * sample. Never in a key: that would end counting in the kernel. Part of stacks.bpf.h.
 *
 *   counts[key].index = 7        the first of its key since the flip
 *   time_log[set] on each CPU:   {since the last, 7} {since the last, 4} …
 *                                full? to the ring; what is left is read after the flip
 *
 * Of programs of one kind (perf_event): one that interrupts another could take its place in the
 * log. Off unless `log_times`: then the map is not there either. */
#pragma once

const volatile bool log_times = false;

/* For each set of counts its own: after a flip nothing is added to the old one's. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct wick_time_chunk);
} time_log SEC(".maps");

/* Unique between two flips, which is all it has to be. 0 is none. */
u32 last_stack_index;
static __always_inline u32 new_stack_index(void)
{
	u32 index = __sync_fetch_and_add(&last_stack_index, 1) + 1;

	return index ? index : 1;
}

/* What is in the chunk goes to user space; then it is empty. */
static __always_inline void send_times(struct wick_time_chunk *chunk, u32 set, u64 now)
{
	if (chunk->used) {
		if (bpf_ringbuf_output(&records, chunk, sizeof(*chunk), BPF_RB_NO_WAKEUP))
			chunk->dropped += chunk->used;
		else
			chunk->dropped = 0;
	}
	chunk->type = WICK_RECORD_TIMES;
	chunk->cpu = bpf_get_smp_processor_id();
	chunk->set = set;
	chunk->used = 0;
	chunk->begin_ns = chunk->last_ns = now;
}

/* Keys that are not on the stack, of which some programs use all. */
const volatile u32 time_sets[2] = {0, 1};

static __always_inline void log_time(u32 set, u32 index)
{
	struct wick_time_chunk *chunk = bpf_map_lookup_elem(&time_log, (void *)&time_sets[set]);
	u64 now = bpf_ktime_get_ns(), since;
	u32 at;

	if (!chunk)
		return;
	since = (now - chunk->last_ns) >> WICK_TIME_SHIFT;
	if (!chunk->used || chunk->used >= WICK_TIME_SAMPLES || since >> 32) {
		send_times(chunk, set, now);
		since = 0;
	}
	at = chunk->used & (WICK_TIME_SAMPLES - 1);
	chunk->samples[at].since = since;
	chunk->samples[at].stack = index;
	chunk->used = at + 1;
	/* Not `now`: what was rounded off is not lost. */
	chunk->last_ns += since << WICK_TIME_SHIFT;
}
