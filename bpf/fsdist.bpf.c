/* SPDX-License-Identifier: GPL-2.0 */
/* wick fsdist: how long a file system's operations take, a histogram each. Which functions fs_read
 * and the others are is said at run time (src/tool/histogram/fs_latency.h). */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/function.bpf.h"
#include "bpf/lib/histogram.bpf.h"

enum { READ, WRITE, OPEN, FSYNC, GETATTR, OPERATIONS };

/* When the thread's operations began, 0 for none. Each has its own: a write may have to sync. */
struct operation_starts {
	u64 ns[OPERATIONS];
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct operation_starts);
} began SEC(".maps");

u64 starts_lost;
u64 ends_unseen;

static __always_inline int begin(u32 operation)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct operation_starts *starts;

	if (!current_task_passes(task))
		return 0;
	starts = bpf_task_storage_get(&began, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!starts) {
		__sync_fetch_and_add(&starts_lost, 1);
		return 0;
	}
	/* The end of the last was not told: kretprobes have room for a few calls at a time. */
	if (starts->ns[operation])
		__sync_fetch_and_add(&ends_unseen, 1);
	starts->ns[operation] = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int end(u32 operation)
{
	u64 now = bpf_ktime_get_ns(), since;
	struct operation_starts *starts =
	    bpf_task_storage_get(&began, bpf_get_current_task_btf(), NULL, 0);

	if (!starts || !starts->ns[operation])
		return 0;
	since = starts->ns[operation];
	starts->ns[operation] = 0;
	histogram_add((struct wick_histogram_key){.first = operation}, NULL, now - since);
	return 0;
}

#define MEASURE(function, operation)                                                               \
	WICK_ON_ENTRY(function)                                                                    \
	{                                                                                          \
		return begin(operation);                                                           \
	}                                                                                          \
	WICK_ON_EXIT(function)                                                                     \
	{                                                                                          \
		return end(operation);                                                             \
	}

MEASURE(fs_read, READ)
MEASURE(fs_write, WRITE)
MEASURE(fs_open, OPEN)
MEASURE(fs_fsync, FSYNC)
MEASURE(fs_getattr, GETATTR)
