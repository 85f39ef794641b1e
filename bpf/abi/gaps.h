/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Time of a thread that cannot be told (bpf/lib/gaps.bpf.h, src/tool/stack/gaps.*). */
#pragma once

/* Why it cannot. */
enum wick_gap {
	WICK_GAP_SWITCH,  /* a switch nobody was told of */
	WICK_GAP_STORAGE, /* the thread had no storage */
	WICK_GAP_START,	  /* it came to a CPU before its stack was taken */
	WICK_GAPS,
	WICK_GAP_SLOTS = 4,
};

enum {
	/* Of records without a stack: above the tags of any tool. */
	WICK_TAG_NOT_ACCOUNTED = 31,
};
