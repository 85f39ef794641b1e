/* SPDX-License-Identifier: GPL-2.0 */
/* The task filter for a task that is not the current one: who is woken, who is switched to. Takes a
 * typed pointer (SEC("wick_tp/...")). */
#pragma once

#include "bpf/lib/filter.bpf.h"

const volatile u64 filter_cgroup_id = 0;

/* Cgroups nest as deep as one likes; deeper than this one is not looked at. */
#define WICK_CGROUP_LEVELS 64

/* bpf_current_task_under_cgroup for any task; the kernel has a function for it since 6.5. */
static __always_inline bool task_under_cgroup(struct task_struct *task)
{
	struct cgroup *cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	int level = BPF_CORE_READ(cgroup, level);

	WICK_ROLLED_LOOP
	for (int i = 0; i < WICK_CGROUP_LEVELS; i++) {
		struct cgroup *ancestor = NULL;

		if (i > level)
			break;
		bpf_core_read(&ancestor, sizeof(ancestor), &cgroup->ancestors[i]);
		if (BPF_CORE_READ(ancestor, kn, id) == filter_cgroup_id)
			return true;
	}
	return false;
}

static __always_inline bool any_task_passes(struct task_struct *task)
{
	if (filter_by_tgid || own_tgid) {
		u32 tgid = caller_pidns ? visible_tgid(task) : task->tgid;

		if ((filter_by_tgid && !is_chosen(tgid)) || is_own(task, tgid))
			return false;
	}
	if (filter_by_tid) {
		u32 tid = caller_pidns ? visible_nr(BPF_CORE_READ(task, thread_pid)) : task->pid;

		if (!is_chosen(tid))
			return false;
	}
	if (filter_by_uid && BPF_CORE_READ(task, cred, uid.val) != filter_uid)
		return false;
	if (filter_by_cgroup && !task_under_cgroup(task))
		return false;
	if (filter_mntns && BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum) != filter_mntns)
		return false;
	if (filter_by_comm) {
		u64 comm[2] = {};

		/* Behind the name's end there may be the rest of a longer one. */
		bpf_probe_read_kernel_str(comm, sizeof(comm), task->comm);
		if (comm[0] != filter_comm[0] || comm[1] != filter_comm[1])
			return false;
	}
	return true;
}

/* The same for the current one, by the helpers it has. */
static __always_inline bool current_task_passes(struct task_struct *task)
{
	struct task_ids ids = {};

	if (filter_by_tgid || filter_by_tid || own_tgid)
		ids = current_ids(task);
	return task_passes(task, ids);
}
