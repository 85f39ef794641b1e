/* SPDX-License-Identifier: GPL-2.0 */
/* Where the current task was in user space. x86-64. */
#pragma once

#include "bpf/lib/unwind.bpf.h"

/* The registers user space was in: those of the sample, or, when it hit the kernel, those saved on
 * entry. */
struct user_registers {
	u64 ip;
	u64 sp;
	u64 bp;
	bool is_64bit;
	bool in_syscall; /* ip is behind the instruction, like a return address */
};

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
