/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/lib/table.bpf.h and user space (src/tool/table/table_collector.*) agree on: rows of a
 * few sums, by a key. */
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

enum {
	WICK_TABLE_AMOUNTS = 8,
	WICK_TABLE_NUMBERS = 512, /* rows that go by a small number */
	WICK_TABLE_COMM = 16,
};

/* What they are is the tool's: times, bytes, nanoseconds. */
struct wick_table_amounts {
	__u64 amount[WICK_TABLE_AMOUNTS];
};

struct wick_table_key {
	__u64 first;
	__u64 second;
};

struct wick_table_value {
	struct wick_table_amounts sums;
	char comm[WICK_TABLE_COMM]; /* of the task, if it is of one, as it was called last */
};

/* Rows by number: one for each set and CPU. */
struct wick_table_numbered {
	struct wick_table_amounts sums[WICK_TABLE_NUMBERS];
};
