/* SPDX-License-Identifier: GPL-2.0 */
/* The histogram shape: histogram_add() counts a value in the histogram of a key. User space
 * (src/tool/histogram/histogram_run.h) prints and clears them.
 *
 *   histogram_add((struct wick_histogram_key){.first = device}, NULL, nanoseconds);
 *
 * There are two sets, turned over for each interval: nothing is counted in a set while it is read.
 * Without keys a set is an array on each CPU (no hash, no cache line that two CPUs want). */
#pragma once

#include "bpf/abi/histogram.h"

const volatile bool histogram_by_key = false;
/* How much of the value is one of the unit of the rows: 1000 for nanoseconds in usecs. */
const volatile u64 histogram_unit = 1000;

/* One entry for each key and slot that was hit since the last flip; a histogram has some twenty.
 * User space sets the size, and flips when it is half full. What does not fit is histogram_lost. */
struct histogram_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct wick_histogram_key);
	__type(value, struct wick_histogram_value);
};
struct histogram_map histograms_a SEC(".maps");
struct histogram_map histograms_b SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2); /* sets */
	__type(key, u32);
	__type(value, struct wick_histogram_slots);
} histogram_slots SEC(".maps");

/* An update waits for all programs that run: see stacks.bpf.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct histogram_map);
} flip_barrier SEC(".maps");

u32 second_set;
u64 histogram_entries; /* new ones in the active set */
u64 histogram_lost;

static __always_inline u32 log2_of(u64 value)
{
	u32 shift = (value > 0xFFFFFFFF) << 5, result;
	u32 rest = value >> shift;

	result = shift;
	shift = (rest > 0xFFFF) << 4;
	rest >>= shift;
	result |= shift;
	shift = (rest > 0xFF) << 3;
	rest >>= shift;
	result |= shift;
	shift = (rest > 0xF) << 2;
	rest >>= shift;
	result |= shift;
	shift = (rest > 0x3) << 1;
	rest >>= shift;
	return result | shift | rest >> 1;
}

static __always_inline u32 histogram_slot(u64 value)
{
	const u64 largest = ~0ULL >> WICK_HISTOGRAM_FRACTION_BITS;
	u64 fixed;
	u32 exponent;

	if (value > largest)
		value = largest;
	fixed = (value << WICK_HISTOGRAM_FRACTION_BITS) / histogram_unit;
	if (fixed < 1 << WICK_HISTOGRAM_SUB_BITS)
		return fixed;
	exponent = log2_of(fixed) - WICK_HISTOGRAM_SUB_BITS;
	/* The leading one of the shifted number adds the one that is missing in front. */
	return (exponent << WICK_HISTOGRAM_SUB_BITS) + (u32)(fixed >> exponent);
}

/* Atomic on a CPU's own memory too: an interrupt may count in between. */
static __always_inline void histogram_hit(struct wick_histogram_hits *hits, u64 value)
{
	__sync_fetch_and_add(&hits->count, 1);
	__sync_fetch_and_add(&hits->sum, value);
	for (int tries = 0; tries < 4; tries++) {
		u64 max = hits->max;

		if (value <= max || __sync_val_compare_and_swap(&hits->max, max, value) == max)
			break;
	}
}

static __always_inline void histogram_hit_key(void *map, struct wick_histogram_key *key,
					      struct task_struct *named_by, u64 value)
{
	struct wick_histogram_value *entry = bpf_map_lookup_elem(map, key);

	if (!entry) {
		struct wick_histogram_value empty = {};

		if (named_by)
			bpf_probe_read_kernel(empty.comm, sizeof(empty.comm), named_by->comm);
		if (!bpf_map_update_elem(map, key, &empty, BPF_NOEXIST))
			__sync_fetch_and_add(&histogram_entries, 1);
		/* By us or by another CPU, or there is no room. */
		entry = bpf_map_lookup_elem(map, key);
		if (!entry) {
			__sync_fetch_and_add(&histogram_lost, 1);
			return;
		}
	}
	histogram_hit(&entry->hits, value);
}

/* `named_by` is the task whose name is to stand beside the key, or NULL. */
static __always_inline void histogram_add(struct wick_histogram_key key,
					  struct task_struct *named_by, u64 value)
{
	u32 set = second_set != 0;

	key.slot = histogram_slot(value);
	if (!histogram_by_key) {
		struct wick_histogram_slots *slots = bpf_map_lookup_elem(&histogram_slots, &set);

		if (slots)
			histogram_hit(&slots->hits[key.slot & (WICK_HISTOGRAM_SLOTS - 1)], value);
		return;
	}
	/* Twice, not a pointer to either: so the kernel calls the hash table directly. */
	if (set)
		histogram_hit_key(&histograms_b, &key, named_by, value);
	else
		histogram_hit_key(&histograms_a, &key, named_by, value);
}
