/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What the stack programs (bpf/lib/stacks.bpf.h) and user space (src/tool/stack/stack_drain.* and
 * stack_intake.*) agree on.
 *
 *   counts:     wick_stack_key -> wick_stack_value  one entry per distinct (task, stack)
 *   records:    wick_stack_record, …                what a key stands for, sent when it is first
 *                                                   seen
 *   raw_stacks: wick_raw_piece                      walks that user space finishes
 *
 * Every record of a ring begins with its wick_record_type.
 */
#pragma once

#include "bpf/abi/runtime.h"
#include "bpf/abi/unwind.h"
#ifndef __bpf__
#include <linux/types.h>
#endif

enum {
	WICK_COMM_LEN = 16,
	/* The longest walk we do ourselves. */
	WICK_MAX_DEPTH = 512,
	/* bpf_get_stack stops at kernel.perf_event_max_stack, 127 unless someone changed it. */
	WICK_KERNEL_WALK_DEPTH = 127,
};

/* Why something that should be in the profile is not, or not whole. Indices of `losses`. */
enum wick_loss {
	WICK_LOSS_COUNTS_FULL,	/* no room for a new stack: the sample is gone */
	WICK_LOSS_USER_STACK,	/* sample counted, its user stack could not be walked */
	WICK_LOSS_KERNEL_STACK, /* sample counted, its kernel stack could not be walked */
	WICK_LOSS_CUT_STACK,	/* sample counted, its stack is deeper than --max-depth */
	WICK_LOSS_CAUSES,
	WICK_LOSS_CUT_KERNEL = WICK_LOSS_CAUSES, /* not counted: a bit of `missed` that says which
						    of the two stacks was cut */
};

/* The first word of every record. */
enum wick_record_type {
	WICK_RECORD_STACK = 1,
	WICK_RECORD_PAIR,
	WICK_RECORD_MENDED,
	WICK_RECORD_RAW_PIECE,
	WICK_RECORD_TIMES,
};

struct wick_stack_key {
	__u64 task;  /* hash of who: process, address space, comm, thread if asked */
	__u64 stack; /* hash of where: kernel and user frames */
};

/* A tag makes another key of a stack: twice the same one makes the first again. */
#define WICK_HASH_ODD 0x9FB21C651E98DF25ULL
static inline __u64 wick_untagged(__u64 task, __u32 tag)
{
	return task ^ tag * WICK_HASH_ODD;
}

struct wick_stack_value {
	__u64 value;
	__u64 count;  /* how often; only where amounts are not all 1 */
	__u32 unsent; /* the ring was full when the record should have gone: try again */
	__u32 index;  /* in the log of times, where there is one */
};

struct wick_stack_record {
	__u32 type;	 /* WICK_RECORD_STACK */
	__u32 in_kernel; /* the sample hit the kernel, perhaps inside an exec */
	struct wick_stack_key key;
	__u64 time_ns;	/* CLOCK_MONOTONIC, of the first sample with this key since the flip */
	__u64 start_ns; /* process start, CLOCK_BOOTTIME */
	__u64 exec_id;	/* counts the execs of this process */
	__u64 process;	/* hash of PID and address space */
	__u32 tgid;	/* as the caller's PID namespace sees it; 0 when it does not */
	__u32 tid;	/* 0 unless per thread */
	__u32 kernel_depth;
	__u32 user_depth;
	__u32 missed;	  /* bit per wick_loss: which stack is not there, or cut */
	__u32 stop;	  /* enum wick_stop, of a user stack walked by tables; others have
			     WICK_STOP_CUT or nothing */
	__u32 by_pointer; /* its frames that a frame pointer led to */
	__u32 tag;	  /* the tool's own: why a thread waits */
	__u32 runtime; /* which of runtime_entries its interpreted frames are of; 0: it has none */
	__u32 pad;
	char comm[WICK_COMM_LEN];
	__u64 frames[2 * WICK_MAX_DEPTH]; /* kernel leaf..root, then user leaf..root; sent only as
					     far as used */
};

/* In the same ring: a key that stands for two stacks that were announced before, a sleeper's and
 * its waker's. */
struct wick_pair_record {
	__u32 type; /* WICK_RECORD_PAIR */
	__u32 pad;
	struct wick_stack_key key;
	struct wick_stack_key target;
	struct wick_stack_key waker;
};

/* Likewise: a key that stands for parts of two stacks. The user stack of a wait that could not be
 * walked when it began (no tables yet) was walked later; the kernel's frames are those of then. */
struct wick_mended_record {
	__u32 type; /* WICK_RECORD_MENDED */
	__u32 tag;
	struct wick_stack_key key;
	struct wick_stack_key kernel;
	struct wick_stack_key user;
};

/* In a ring of their own: pieces of the stack of a walk that stopped, or went by frame pointers,
 * for want of a list of mappings or a table that user space had not made yet. User space has both a
 * moment later and finishes the walk (src/unwind/stack_walk.h). */
enum {
	WICK_RAW_WORDS = 1024,
	WICK_RAW_PIECES = 4, /* 32 KB of stack */
	/* Stacks of one process that are sent before its list changes: what nobody will ever know
	 * more of (code of no file) is not sent for ever. */
	WICK_RAW_STACKS = 512,
};

struct wick_raw_piece {
	__u32 type;		   /* WICK_RECORD_RAW_PIECE */
	__u32 exact;		   /* ip is no return address */
	struct wick_stack_key key; /* without a tag */
	__u64 time_ns;
	__u64 ip; /* the registers the walk began with */
	__u64 sp;
	__u64 bp;
	__u32 words;
	__u32 pad;
	__u64 at; /* address of the first word */
	__u64 stack[WICK_RAW_WORDS];
};

/* When samples were taken, of one CPU, as far as a log holds (bpf/lib/time_log.bpf.h). */
enum {
	WICK_TIME_SAMPLES = 256, /* a power of two */
	WICK_TIME_SHIFT = 4,	 /* in units of 16 ns: 68 s fit into 32 bits */
};
struct wick_timed_sample {
	__u32 since; /* the sample before, or the begin */
	__u32 stack; /* wick_stack_value::index */
};
struct wick_time_chunk {
	__u32 type; /* WICK_RECORD_TIMES */
	__u32 cpu;
	__u32 set; /* of counts that the indices are of */
	__u32 used;
	__u64 begin_ns; /* CLOCK_MONOTONIC of the first */
	__u64 last_ns;
	__u64 dropped; /* samples of this CPU before these that found no room in the ring */
	struct wick_timed_sample samples[WICK_TIME_SAMPLES];
};

/* Per CPU. */
struct wick_stack_totals {
	__u64 samples; /* that passed the filter */
	__u64 losses[WICK_LOSS_CAUSES];
	__u64 table_frames;
	__u64 pointer_frames;
	struct wick_runtime_totals runtimes[WICK_RUNTIME_SLOTS]; /* by wick_runtime_kind */
	__u64 raw_lost; /* stacks that were to be sent, and their ring was full */
};
