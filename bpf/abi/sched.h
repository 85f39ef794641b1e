/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/sched.bpf.c tells of a thread. */
#pragma once

#include "bpf/abi/events.h"

enum wick_sched_kind {
	WICK_SCHED_RUN,	  /* it runs, on `cpu` */
	WICK_SCHED_LEAVE, /* it left its CPU, in `state` */
	WICK_SCHED_WAKE,  /* it may run again, thanks to `waker` */
};

enum {
	WICK_SCHED_COMM = 16,
	/* Bits of wick_sched_event::state, those of the kernel's task_struct::__state. */
	WICK_STATE_UNINTERRUPTIBLE = 0x2,
	WICK_STATE_STOPPED = 0x4,
	WICK_STATE_TRACED = 0x8,
	WICK_STATE_DEAD = 0x80,
};

/* Who wakes a thread: the current task, or an interrupt that hit it. */
enum wick_waker_context {
	WICK_WAKER_TASK,
	WICK_WAKER_TIMER,
	WICK_WAKER_DEVICE,
	WICK_WAKER_SOFTIRQ, /* and its number */
};

struct wick_sched_task {
	__u32 tgid;
	__u32 tid;
	char comm[WICK_SCHED_COMM];
};

struct wick_sched_waker {
	struct wick_sched_task task;
	__u32 context;
	__u32 known; /* 0: who it was did not come through */
};

struct wick_sched_event {
	struct wick_event_head head;
	__u32 kind;
	__u32 cpu;
	__u32 state;   /* 0: it would have run on */
	__s32 syscall; /* it sleeps in; -1: in none */
	struct wick_sched_task task;
	struct wick_sched_waker waker;
};
