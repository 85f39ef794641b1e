/* SPDX-License-Identifier: GPL-2.0 */
/* Which tasks a tool looks at: by PID, TID, user, command name, cgroup, mount namespace. A program
 * that includes this gets --pid, --tid, --uid, --comm, --cgroup, --mntns for nothing
 * (src/tool/task_filter.h). What was not asked for is a constant, and the verifier removes its
 * branch. */
#pragma once

#include "bpf/abi/stacks.h"

const volatile bool filter_by_tgid = false;
const volatile bool filter_by_tid = false;
const volatile bool filter_by_uid = false;
const volatile bool filter_by_comm = false;
const volatile bool filter_by_cgroup = false;
const volatile u32 filter_uid = 0;
const volatile u32 filter_mntns = 0; /* inode; 0: any */
const volatile u64 filter_comm[2] = {};
/* Not the first PID namespace: the caller's PIDs are those of this one. 0 in the first. */
const volatile u32 caller_pidns = 0;

/* Wick itself, in the caller's PID namespace: left out, unless processes or threads were chosen by
 * number. 0: nothing is left out (docs/decisions/0032). */
const volatile u32 own_tgid = 0;

/* PIDs (or TIDs) to look at. Sized by user space to the list; for a started command it grows by
 * forks. The value is 0 while the command is still Wick's code: until its exec. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u8);
} filter_ids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} filter_cgroups SEC(".maps");

/* Namespaces nest up to 32 deep (MAX_PID_NS_LEVEL). */
#define WICK_PIDNS_LEVELS 32

/* What the task's own PID namespace calls it, and that namespace. */
static __always_inline struct upid innermost_upid(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level);
	struct upid upid = {};

	if (level <= WICK_PIDNS_LEVELS)
		bpf_core_read(&upid, sizeof(upid), &pid->numbers[level]);
	return upid;
}

/* The number of `pid` in the caller's PID namespace, 0 when it is not visible there. */
static __always_inline u32 visible_nr(struct pid *pid)
{
	u32 level = BPF_CORE_READ(pid, level);

	for (u32 i = 1; i <= WICK_PIDNS_LEVELS; i++) {
		struct upid upid = {};

		if (i > level)
			break;
		bpf_core_read(&upid, sizeof(upid), &pid->numbers[i]);
		if (BPF_CORE_READ(upid.ns, ns.inum) == caller_pidns)
			return upid.nr;
	}
	return 0;
}

struct task_ids {
	u32 tgid;
	u32 tid;
};

/* What the caller calls a task's process. */
static __always_inline u32 visible_tgid(struct task_struct *task)
{
	if (!caller_pidns)
		return BPF_CORE_READ(task, tgid);
	return visible_nr(BPF_CORE_READ(task, group_leader, thread_pid));
}

/* What the caller calls the current task. */
static __always_inline struct task_ids current_ids(struct task_struct *task)
{
	u64 both;

	if (caller_pidns)
		return (struct task_ids){.tgid = visible_tgid(task),
					 .tid = visible_nr(BPF_CORE_READ(task, thread_pid))};
	both = bpf_get_current_pid_tgid();
	return (struct task_ids){.tgid = both >> 32, .tid = (u32)both};
}

static __always_inline bool is_chosen(u32 id)
{
	u8 *begun = bpf_map_lookup_elem(&filter_ids, &id);

	return begun && *begun;
}

/* At its exec a started command becomes what was asked for. True: it did just now. */
static __always_inline bool begins_command(u32 tgid)
{
	u8 *begun = bpf_map_lookup_elem(&filter_ids, &tgid);

	if (!begun || *begun)
		return false;
	*begun = 1;
	return true;
}

/* Wick, or a child that works for it: the command a person starts is chosen by number. To init
 * orphans are handed over that are nobody's helpers; in another PID namespace finding out who the
 * parent is costs more than it is worth. */
static __always_inline bool is_own(struct task_struct *task, u32 tgid)
{
	if (!own_tgid)
		return false;
	if (tgid == own_tgid)
		return true;
	return !caller_pidns && own_tgid != 1 && (u32)task->real_parent->tgid == own_tgid;
}

static __always_inline bool task_passes(struct task_struct *task, struct task_ids ids)
{
	if (filter_by_tgid && !is_chosen(ids.tgid))
		return false;
	if (filter_by_tid && !is_chosen(ids.tid))
		return false;
	if (is_own(task, ids.tgid))
		return false;
	if (filter_by_uid && (u32)bpf_get_current_uid_gid() != filter_uid)
		return false;
	if (filter_by_cgroup && bpf_current_task_under_cgroup(&filter_cgroups, 0) != 1)
		return false;
	if (filter_mntns && BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum) != filter_mntns)
		return false;
	if (filter_by_comm) {
		u64 comm[2] = {};

		bpf_get_current_comm(comm, sizeof(comm));
		if (comm[0] != filter_comm[0] || comm[1] != filter_comm[1])
			return false;
	}
	return true;
}

/* What the caller calls a task that need not be the current one. */
static __always_inline struct task_ids ids_of(struct task_struct *task)
{
	if (caller_pidns)
		return (struct task_ids){.tgid = visible_tgid(task),
					 .tid = visible_nr(BPF_CORE_READ(task, thread_pid))};
	return (struct task_ids){.tgid = task->tgid, .tid = task->pid};
}

/* The same question about a task that is not the current one. By cgroup it cannot be asked: then
 * the answer is no. */
static __always_inline bool other_task_passes(struct task_struct *task, struct task_ids ids)
{
	if (filter_by_cgroup)
		return false;
	if (filter_by_tgid && !is_chosen(ids.tgid))
		return false;
	if (filter_by_tid && !is_chosen(ids.tid))
		return false;
	if (is_own(task, ids.tgid))
		return false;
	if (filter_by_uid && BPF_CORE_READ(task, cred, uid.val) != filter_uid)
		return false;
	if (filter_mntns && BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum) != filter_mntns)
		return false;
	if (filter_by_comm) {
		u64 comm[2] = {};

		bpf_probe_read_kernel(comm, sizeof(comm), task->comm);
		if (comm[0] != filter_comm[0] || comm[1] != filter_comm[1])
			return false;
	}
	return true;
}
