/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/wall.bpf.c and src/tools/wall.cpp agree on. */
#pragma once

/* What a thread's time was spent on: the tag of its stacks. */
enum wick_wall {
	WICK_WALL_ON_CPU,
	WICK_WALL_IO,
	WICK_WALL_LOCK,
	WICK_WALL_SLEEP,
	WICK_WALL_QUEUE, /* wants to run, and waits for a CPU */
	WICK_WALL_FAULT, /* waits for a page */
	WICK_WALL_OTHER,
	WICK_WALL_FUTEX,     /* waits for one that is no plain lock: the function tells for what */
	WICK_WALL_THROTTLED, /* wants to run, and its cgroup has used up its quota */
	WICK_WALL_KINDS,
};

enum {
	/* System calls have numbers below this; a power of two. */
	WICK_WALL_SYSCALLS = 512,
};
