/* SPDX-License-Identifier: GPL-2.0 */
/* By what tasks are told apart: --pids, --tids, --pidnss, --cgroups (src/tool/task_key.h). Takes
 * any task, given as a typed pointer. */
#pragma once

#include "bpf/abi/task_key.h"
#include "bpf/lib/filter.bpf.h"

const volatile u32 task_key = WICK_KEY_NONE;

static __always_inline u64 pid_namespace_of(struct task_struct *task)
{
	struct upid upid = innermost_upid(task);

	return upid.ns ? BPF_CORE_READ(upid.ns, ns.inum) : 0;
}

static __always_inline u64 task_key_of(struct task_struct *task)
{
	switch (task_key) {
	case WICK_KEY_PROCESS:
		return caller_pidns ? visible_tgid(task) : task->tgid;
	case WICK_KEY_THREAD:
		return caller_pidns ? visible_nr(BPF_CORE_READ(task, thread_pid)) : task->pid;
	case WICK_KEY_PID_NAMESPACE:
		return pid_namespace_of(task);
	case WICK_KEY_CGROUP:
		return BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	default:
		return 0;
	}
}

/* Whose name stands beside the key: a process goes by its first thread's. */
static __always_inline struct task_struct *task_key_name(struct task_struct *task)
{
	if (task_key == WICK_KEY_PROCESS)
		return task->group_leader;
	return task_key == WICK_KEY_THREAD ? task : NULL;
}
