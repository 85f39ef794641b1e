/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/lib/block.bpf.h and user space (src/tool/files/block_requests.*) agree on: block
 * requests. */
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

#include "bpf/abi/events.h"

enum {
	WICK_BLOCK_COMM = 16,
};

/* What a request does, in four words. */
enum wick_block_kind {
	WICK_BLOCK_READ,
	WICK_BLOCK_WRITE,
	WICK_BLOCK_DISCARD,
	WICK_BLOCK_FLUSH,
	WICK_BLOCK_KINDS, /* something else: a report of zones, a command of a driver */
};

/* wick biolatpcts: from where on. */
enum wick_block_since {
	WICK_SINCE_ALLOCATED, /* from before the request was allocated */
	WICK_SINCE_MADE,
	WICK_SINCE_ISSUED,
};

/* One that is done. */
struct wick_block_request {
	__u64 sector;	 /* of 512 bytes, of the whole disk */
	__u64 queue_ns;	 /* from when it was made until it was given to the device */
	__u64 device_ns; /* from then until it was done */
	__u32 bytes;
	__u32 device; /* major << 20 | minor, of the partition where there is one */
	__u32 flags;  /* the kernel's cmd_flags */
	__u32 kind;   /* enum wick_block_kind */
	__u32 tgid;   /* who made it, in the caller's PID namespace */
	__u32 pad;
	char comm[WICK_BLOCK_COMM];
};

/* wick biosnoop */
struct wick_biosnoop_event {
	struct wick_event_head head;
	struct wick_block_request request;
};
