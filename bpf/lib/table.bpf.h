/* SPDX-License-Identifier: GPL-2.0 */
/* The table shape: table_add() adds to the sums of a row. User space (src/tool/table/table_run.h)
 * sorts, prints and clears them.
 *
 *   table_add((struct wick_table_key){.first = tgid}, task, (struct wick_table_amounts){{1,
 * bytes}});
 *
 * Two sets, turned over for each interval, as in histogram.bpf.h. Rows that go by a number below
 * 512 (system calls) are an array on each CPU: no hash, no cache line that two CPUs want. */
#pragma once

#include "bpf/abi/table.h"

const volatile bool table_by_number = false;

/* Rows since the last flip. User space sets the size, and flips when it is half full. What does not
 * fit is table_lost. */
struct table_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct wick_table_key);
	__type(value, struct wick_table_value);
};
struct table_map table_a SEC(".maps");
struct table_map table_b SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2); /* sets */
	__type(key, u32);
	__type(value, struct wick_table_numbered);
} table_numbered SEC(".maps");

/* An update waits for all programs that run: see stacks.bpf.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct table_map);
} flip_barrier SEC(".maps");

u32 second_set;
u64 table_entries; /* new ones in the active set */
u64 table_lost;

/* Atomic on a CPU's own memory too: an interrupt may add in between. What is not used is 0, and
 * known to be when the program is compiled. */
static __always_inline void table_sum(struct wick_table_amounts *to,
				      struct wick_table_amounts *amounts)
{
	for (int i = 0; i < WICK_TABLE_AMOUNTS; i++)
		if (amounts->amount[i])
			__sync_fetch_and_add(&to->amount[i], amounts->amount[i]);
}

/* A task is named anew by exec: a row has the name of the last call. */
static __always_inline void table_name(struct wick_table_value *row, const char *comm)
{
	const u64 *from = (const u64 *)__builtin_assume_aligned(comm, 8);
	u64 *to = (u64 *)row->comm;
	u64 first = from[0], second = from[1];

	if (to[0] != first || to[1] != second) {
		to[0] = first;
		to[1] = second;
	}
}

static __always_inline void table_add_key(void *map, struct wick_table_key *key, const char *comm,
					  struct wick_table_amounts *amounts)
{
	struct wick_table_value *row = bpf_map_lookup_elem(map, key);

	if (!row) {
		struct wick_table_value empty = {};

		if (!bpf_map_update_elem(map, key, &empty, BPF_NOEXIST))
			__sync_fetch_and_add(&table_entries, 1);
		/* By us or by another CPU, or there is no room. */
		row = bpf_map_lookup_elem(map, key);
		if (!row) {
			__sync_fetch_and_add(&table_lost, 1);
			return;
		}
	}
	table_sum(&row->sums, amounts);
	if (comm)
		table_name(row, comm);
}

/* `comm` is a task's name that is to stand beside the key, aligned to 8, or NULL. */
static __always_inline void table_add_named(struct wick_table_key key, const char *comm,
					    struct wick_table_amounts amounts)
{
	u32 set = second_set != 0;

	if (table_by_number) {
		struct wick_table_numbered *rows = bpf_map_lookup_elem(&table_numbered, &set);

		if (rows)
			table_sum(&rows->sums[key.first & (WICK_TABLE_NUMBERS - 1)], &amounts);
		return;
	}
	/* Twice, not a pointer to either: so the kernel calls the hash table directly. */
	if (set)
		table_add_key(&table_b, &key, comm, &amounts);
	else
		table_add_key(&table_a, &key, comm, &amounts);
}

/* The same by the task that has the name. */
static __always_inline void table_add(struct wick_table_key key, struct task_struct *named_by,
				      struct wick_table_amounts amounts)
{
	table_add_named(key, named_by ? named_by->comm : NULL, amounts);
}
