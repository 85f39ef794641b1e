/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/filetop.bpf.c and bpf/fileslower.bpf.c tell user space. */
#pragma once

#include "bpf/abi/events.h"

/* Amounts of a row of filetop's table. */
enum {
	WICK_FILE_CALLS,
	WICK_FILE_READS,
	WICK_FILE_WRITES,
	WICK_FILE_READ_BYTES,
	WICK_FILE_WRITE_BYTES,
};

struct wick_fileslower_event {
	struct wick_event_head head;
	__u64 path; /* bpf/abi/paths.h; 0: not known */
	__u64 latency_ns;
	__s64 result; /* bytes, or the error below 0 */
	__u32 pid;
	__u32 tid;
	__u32 is_write;
	__u32 reserved;
	char comm[16];
};
