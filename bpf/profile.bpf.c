/* SPDX-License-Identifier: GPL-2.0 */
/* wick profile: counts the stack of whatever a clock tick, an event or a tracepoint interrupts. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/stacks.bpf.h"

/* For tracepoints, where the kernel runs the program on every hit: count one in so many, on this
 * CPU only. */
const volatile u64 every = 1;
const volatile s32 only_cpu = -1;
u64 hits;
/* Children of a started command that the list of PIDs had no room for. */
u64 untracked_children;

/* x86: what user code runs with in %cs; 32-bit programs have another. */
#define USER_CS_64 0x33
#define SYSCALL_INSTRUCTION 0x050f
/* The low bits are the privilege the interrupted code ran with. */
#define USER_PRIVILEGE 3

/* When the sample hit the kernel: what it saved on entry. */
static __always_inline struct user_registers saved_registers(struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct user_registers out = {};
	u64 saved[4] = {}; /* ip, cs, flags, sp */
	u16 before = 0;

	/* Not by plain loads: clang would merge them with those from ctx, which the verifier
	 * forbids. */
	bpf_probe_read_kernel(saved, sizeof(saved), &regs->ip);
	bpf_probe_read_kernel(&out.bp, sizeof(out.bp), &regs->bp);
	out.ip = saved[0];
	out.sp = saved[3];
	out.is_64bit = (u16)saved[1] == USER_CS_64;
	/* A fault, or a signal handler that is about to begin, is not behind a system call. */
	if (unwind_by_tables) {
		bpf_probe_read_user(&before, sizeof(before), (void *)(out.ip - sizeof(before)));
		out.in_syscall = before == SYSCALL_INSTRUCTION;
	}
	return out;
}

SEC("perf_event")
int on_event(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	/* The 8-byte slot: on new kernels cs itself is a u16 in a union. */
	u16 cs = *(volatile u64 *)&ctx->regs.cs;
	bool in_user = (cs & USER_PRIVILEGE) == USER_PRIVILEGE;
	struct user_registers regs = {};

	if (in_user)
		regs = (struct user_registers){.ip = ctx->regs.ip,
					       .sp = ctx->regs.sp,
					       .bp = ctx->regs.bp,
					       .is_64bit = cs == USER_CS_64};
	else if (want_user && task->mm)
		regs = saved_registers(task);
	return count_stack(ctx, task, !in_user, regs, 1);
}

SEC("tracepoint")
int on_tracepoint(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct user_registers regs = {};

	if (only_cpu >= 0 && bpf_get_smp_processor_id() != (u32)only_cpu)
		return 0;
	if (every > 1 && __sync_fetch_and_add(&hits, 1) % every)
		return 0;
	if (want_user && task->mm)
		regs = saved_registers(task);
	return count_stack(ctx, task, true, regs, 1);
}

/* A started command: its children are looked at too, from their first instruction. */
/* raw_tp and not tp_btf: for that libbpf would read the kernel's whole BTF, 8 MB and 20 ms. */
SEC("raw_tp/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	u32 parent_tgid = visible_tgid(parent), child_tgid = visible_tgid(child);
	u8 yes = 1;

	if (parent_tgid == child_tgid || !bpf_map_lookup_elem(&filter_ids, &parent_tgid))
		return 0;
	if (bpf_map_update_elem(&filter_ids, &child_tgid, &yes, BPF_ANY))
		__sync_fetch_and_add(&untracked_children, 1);
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
