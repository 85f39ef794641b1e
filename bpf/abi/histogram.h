/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/lib/histogram.bpf.h and user space (src/tool/histogram/histogram_collector.*,
 * formats/histogram.*) agree on.
 *
 * A value falls into a slot: eight to each power of two, of the value in 1/64 of the unit of the
 * rows (usecs, bytes). So rows begin where slots begin, whatever the unit, and below one unit there
 * is still something to tell.
 *
 *   fixed = value * 64 / unit     0 1 .. 7 | 8 .. 15 | 16 18 .. 30 | 32 36 .. 60 | 64 72 ..
 *   slot                          0 1 .. 7 | 8 .. 15 | 16 17 .. 23 | 24 25 .. 31 | 32 33 ..
 */
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

enum {
	WICK_HISTOGRAM_FRACTION_BITS = 6, /* what is kept below one unit */
	WICK_HISTOGRAM_SUB_BITS = 3,	  /* slots to a power of two */
	WICK_HISTOGRAM_SLOTS = 512,	  /* room for every 64-bit number */
	WICK_HISTOGRAM_COMM = 16,
};

/* Sum and maximum of each slot, not of each key: so the key's are exact, an average within a slot
 * is known, and the hot path finds one entry. */
struct wick_histogram_hits {
	__u64 count;
	__u64 sum; /* in the values' own unit: nanoseconds, bytes */
	__u64 max;
};

/* What a histogram is of, as the tool says: a PID, a device and an operation. */
struct wick_histogram_key {
	__u64 first;
	__u32 second;
	__u32 slot;
};

struct wick_histogram_value {
	struct wick_histogram_hits hits;
	char comm[WICK_HISTOGRAM_COMM]; /* of the task, if it is of one */
};

/* Without keys: one for each set and CPU. */
struct wick_histogram_slots {
	struct wick_histogram_hits hits[WICK_HISTOGRAM_SLOTS];
};
