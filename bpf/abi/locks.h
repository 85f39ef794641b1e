/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What the lock programs (bpf/deadlock.bpf.c, bpf/mutex.bpf.c) and user space agree on. Stacks go
 * by the key of their record (bpf/abi/stacks.h), which is sent before what names it. */
#pragma once

#include "bpf/abi/stacks.h"

/* What a probed function does: the cookie of its probe. */
enum wick_lock_call {
	WICK_CALL_LOCK = 1,
	WICK_CALL_UNLOCK,
	WICK_CALL_TRY,	/* may fail: told when it returns */
	WICK_CALL_WAIT, /* pthread_cond_wait(condition, mutex) */
	WICK_CALL_RENEW,
	WICK_CALL_RWLOCK,
	WICK_CALL_RWLOCK_TRY,
	WICK_CALL_CREATE, /* pthread_create */
};

/* wick deadlock: a lock that was taken while another was held, sent once for each pair. */
struct wick_lock_edge {
	__u64 from; /* held */
	__u64 to;   /* taken */
	__u32 from_generation;
	__u32 to_generation;
	struct wick_stack_key from_stack; /* where each was taken; zero: not known */
	struct wick_stack_key to_stack;
	__u32 tid;
	__u32 pad;
	char comm[WICK_COMM_LEN];
};

/* A thread that was started while we looked. */
struct wick_thread_start {
	__u32 tid;
	__u32 parent_tid;
	struct wick_stack_key stack; /* of the parent */
	char parent_comm[WICK_COMM_LEN];
};

enum wick_lock_event_kind {
	WICK_LOCK_EDGE,
	WICK_LOCK_THREAD,
};
struct wick_lock_event {
	__u32 kind;
	__u32 pad;
	union {
		struct wick_lock_edge edge;
		struct wick_thread_start thread;
	};
};

/* Why a lock operation is not in the graph. Indices of `lock_losses`. */
enum wick_lock_loss {
	WICK_LOCK_LOSS_HELD,	/* a thread held more locks than we keep */
	WICK_LOCK_LOSS_THREADS, /* more threads than --threads held locks */
	WICK_LOCK_LOSS_EDGES,	/* more pairs than --edges */
	WICK_LOCK_LOSS_RING,  /* user space was too slow; the pair is sent when it is seen again */
	WICK_LOCK_LOSS_STACK, /* a pair without a stack: another thread's was being walked */
	WICK_LOCK_LOSSES,
};

/* wick mutex: a lock somebody waited for. In the kernel tgid is 0. */
struct wick_lock_key {
	__u64 address;
	__u32 tgid; /* as the caller's PID namespace sees it */
	__u32 pad;
};

struct wick_lock_stats {
	__u32 id;      /* from 1; in the tags of its stacks */
	__u32 flags;   /* WICK_LOCK_*, or those of lock:contention_begin */
	__u32 waiting; /* threads, now */
	__u32
	    last_owner; /* TID in its own namespace, as the lock said when somebody began to wait */
	__u64 blocked_ns; /* since when the present holder has kept others waiting */
	__u64 waits;
	__u64 wait_ns;
	__u64 max_wait_ns;
	__u64 holds;
	__u64 hold_ns;
	__u64 max_hold_ns;
};

/* A lock a thread holds, and since when. */
struct wick_lock_hold {
	__u64 address;
	__u64 since_ns;
	__u32 again; /* a recursive lock: times it was taken on top of the first */
	__u32 pad;
};

/* A power of two: the place of a lock is by its address, and two that share one lose the older. */
#define WICK_LOCK_HOLDS 16

/* What a thread waits for and holds. */
struct wick_lock_thread {
	__u64 waits_for; /* 0: nothing */
	__u64 began_ns;
	__u64 waited_ns; /* in this lock operation, before this wait */
	__u64 contended; /* got after a wait, and not given back; or still waited for */
	__u64 condition; /* the mutex that pthread_cond_wait gave back */
	__u32 expects;	 /* the value of the futex: 2, contended */
	__u32 tgid;	 /* as the caller's PID namespace sees it */
	struct wick_lock_hold held[WICK_LOCK_HOLDS];
};

enum {
	/* The futex has the states of a plain lock: 2, contended. */
	WICK_LOCK_THREE_STATES = 1 << 30,
	/* It is waited for while it is 0, which no lock is that somebody has. */
	WICK_LOCK_WAITED_AT_ZERO = 1 << 29,
	/* In a stack's tag: that of the one who held it, at its unlock. */
	WICK_LOCK_HOLDER = 1U << 31,
};

/* A thread as an iterator finds it: what it waits for, and where it is. */
struct wick_present_thread {
	__u64 address;		     /* of the futex it is in a call for; 0: it is in none */
	struct wick_stack_key stack; /* zero: it is on a CPU */
	__u32 tgid;		     /* these two as the caller's PID namespace sees them */
	__u32 tid;
	__u32 inner_tid; /* as its own does: what locks hold for an owner */
	__u32 switches;	 /* of the thread: the same later means it has not run */
	__u32 command;	 /* FUTEX_WAIT, FUTEX_LOCK_PI …, without its flags */
	__u32 expects;
	__u32 word;  /* of the futex, now */
	__u32 owner; /* if it is a pthread_mutex_t: its owner, an inner TID */
	__u32 kernel_tid;
	__u32 pad;
	char comm[WICK_COMM_LEN];
};

/* Why a wait is not told, or not whole. Indices of `wait_losses`. */
enum wick_wait_loss {
	WICK_WAIT_LOSS_LOCKS,	/* more locks than --locks */
	WICK_WAIT_LOSS_THREADS, /* more waiting threads than we keep */
	WICK_WAIT_LOSS_STACK,	/* counted, without a stack */
	WICK_WAIT_LOSSES,
};
