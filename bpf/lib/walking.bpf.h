/* SPDX-License-Identifier: GPL-2.0 */
/* Whether this CPU's buffer for stacks is in use: a program may be put aside in the middle of a
 * walk, for another thread's (uprobes), or be interrupted (kernel locks). */
#pragma once

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} walking SEC(".maps");
