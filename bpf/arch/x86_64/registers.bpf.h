/* SPDX-License-Identifier: GPL-2.0 */
/* Where the current task was in user space. x86-64. */
#pragma once

#include "bpf/lib/kernel_types.h"

const volatile bool want_user = true;

/* The registers user space was in: those of the sample, or, when it hit the kernel, those saved on
 * entry. */
struct user_registers {
	u64 ip;
	u64 sp;
	u64 bp;
	bool is_64bit;
	bool in_syscall;      /* ip is behind the instruction, like a return address */
	struct word_log *log; /* the walk tells there what it reads; 0: nobody asks */
};

/* x86: what user code runs with in %cs; 32-bit programs have another. */
#define USER_CS_64 0x33
/* The low bits are the privilege the interrupted code ran with. */
#define USER_PRIVILEGE 3

/* From bp to sp of pt_regs. */
enum { SAVED_BP = 0, SAVED_R11 = 2, SAVED_CX = 7, SAVED_IP = 12, SAVED_CS, SAVED_FLAGS, SAVED_SP };

/* When the sample hit the kernel: what it saved on entry. */
static __always_inline struct user_registers saved_registers(struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct user_registers out = {};
	u64 saved[SAVED_SP + 1] = {};

	/* Not by plain loads: clang would merge them with those from ctx, which the verifier
	 * forbids. */
	bpf_probe_read_kernel(saved, sizeof(saved), &regs->bp);
	out.ip = saved[SAVED_IP];
	out.sp = saved[SAVED_SP];
	out.bp = saved[SAVED_BP];
	out.is_64bit = (u16)saved[SAVED_CS] == USER_CS_64;
	/* The instruction leaves its own ip in cx and the flags in r11. A fault does not, nor a
	 * signal handler that is about to begin. */
	out.in_syscall = saved[SAVED_CX] == out.ip && saved[SAVED_R11] == saved[SAVED_FLAGS];
	return out;
}

/* Of task_struct::flags: a thread of the kernel. */
#define PF_KTHREAD 0x00200000

/* The same of a task that was in user space before, as far as they are wanted. Asks its flags and
 * not its mm: for each pointer that is read off a typed one, the verifier of new kernels looks for
 * a name in all of the kernel's types, which takes a millisecond. */
static __always_inline struct user_registers registers_of(struct task_struct *task)
{
	if (want_user && !(task->flags & PF_KTHREAD))
		return saved_registers(task);
	return (struct user_registers){};
}

static __always_inline bool is_in_user(struct bpf_perf_event_data *ctx)
{
	/* The 8-byte slot: on new kernels cs itself is a u16 in a union. */
	return ((u16) * (volatile u64 *)&ctx->regs.cs & USER_PRIVILEGE) == USER_PRIVILEGE;
}

/* Of a sample by a perf event. */
static __always_inline struct user_registers sampled_registers(struct bpf_perf_event_data *ctx,
							       struct task_struct *task)
{
	if (is_in_user(ctx))
		return (struct user_registers){.ip = ctx->regs.ip,
					       .sp = ctx->regs.sp,
					       .bp = ctx->regs.bp,
					       .is_64bit = (u16) * (volatile u64 *)&ctx->regs.cs ==
							   USER_CS_64};
	return registers_of(task);
}
