/* SPDX-License-Identifier: GPL-2.0 */
/* Programs that keep up with processes that start and end, for every tool with stacks: the children
 * of a started command pass the filter, and the lists of mappings (unwind.bpf.h) go with their
 * process. User space loads those it needs (src/tool/stack/stack_run.h). */
#pragma once

#include "bpf/lib/filter.bpf.h"
#include "bpf/lib/unwind.bpf.h"

/* Children of a started command that the list of PIDs had no room for. */
u64 untracked_children;

/* A started command: its children are looked at too, from their first instruction. */
/* raw_tp and not tp_btf: for that libbpf would read the kernel's whole BTF, 8 MB and 20 ms. */
SEC("raw_tp/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	u32 parent_tgid = visible_tgid(parent), child_tgid = visible_tgid(child);
	u8 yes = 1;

	if (parent_tgid == child_tgid || !is_chosen(parent_tgid))
		return 0;
	if (bpf_map_update_elem(&filter_ids, &child_tgid, &yes, BPF_ANY))
		__sync_fetch_and_add(&untracked_children, 1);
	return 0;
}

/* What the child does before its exec is Wick's: it waits for the start, then looks for the
 * program.
 */
SEC("raw_tp/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	begins_command(visible_tgid(task));
	return 0;
}

/* An address space that is filled anew: the old one's mappings lead astray. */
SEC("raw_tp/sched_process_exec")
int BPF_PROG(forget_mappings, struct task_struct *task)
{
	u32 tgid = visible_tgid(task);

	bpf_map_delete_elem(&unwind_processes, &tgid);
	return 0;
}

/* A child has its parent's mappings until it execs; user space gives it a list of its own. */
SEC("raw_tp/sched_process_fork")
int BPF_PROG(inherit_mappings, struct task_struct *parent, struct task_struct *child)
{
	u32 parent_tgid = visible_tgid(parent), child_tgid = visible_tgid(child);
	struct wick_unwind_process *process;

	if (parent_tgid == child_tgid)
		return 0;
	process = bpf_map_lookup_elem(&unwind_processes, &parent_tgid);
	if (process) {
		struct wick_unwind_process copy = *process;

		bpf_map_update_elem(&unwind_processes, &child_tgid, &copy, BPF_ANY);
	}
	return 0;
}

/* PIDs are used again: what has ended is not looked at any more. */
SEC("raw_tp/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	u32 tgid = visible_tgid(task);

	/* The last thread, which need not be the first one. */
	if (!BPF_CORE_READ(task, signal, live.counter))
		bpf_map_delete_elem(&filter_ids, &tgid);
	return 0;
}
