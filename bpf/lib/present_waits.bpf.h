/* SPDX-License-Identifier: GPL-2.0 */
/* What threads wait for right now, by an iterator over all tasks (SEC("wick_iter.s/task")): the
 * futex each is in, who has it by its own word, and the stack of each, waiter or not. User space
 * makes the graph of who waits for whom of it (src/tool/lock/wait_graph.h). */
#pragma once

#include "bpf/abi/locks.h"
#include "bpf/arch/syscalls.bpf.h"
#include "bpf/lib/glibc_mutex.bpf.h"
#include "bpf/lib/other_stacks.bpf.h"

/* Without the flags: private, clock. */
#define FUTEX_COMMAND_MASK 127

/* Too large for the stack, with all that is walked. One, as one iterator runs at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wick_present_thread);
} present_thread SEC(".maps");

static __always_inline void read_futex(struct task_struct *task, struct wick_present_thread *thread)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct glibc_mutex mutex = {};
	u64 args[NUMBER_WORD + 1] = {};

	if (task->flags & PF_KTHREAD || !saved_registers(task).in_syscall)
		return;
	bpf_probe_read_kernel(args, sizeof(args), SYSTEM_CALL_WORDS(regs));
	if (args[NUMBER_WORD] != CALL_FUTEX)
		return;
	thread->address = args[FIRST_WORD];
	thread->command = args[SECOND_WORD] & FUTEX_COMMAND_MASK;
	thread->expects = args[THIRD_WORD];
	/* Of any other futex, only the first word means something. */
	if (!bpf_copy_from_user_task(&mutex, sizeof(mutex), (void *)args[FIRST_WORD], task, 0)) {
		thread->word = mutex.lock;
		thread->owner = mutex.owner;
	} else {
		bpf_copy_from_user_task(&thread->word, sizeof(thread->word),
					(void *)args[FIRST_WORD], task, 0);
	}
}

/* All but the stack; NULL: a task that is not asked about. */
static __always_inline struct wick_present_thread *describe_thread(struct task_struct *task,
								   struct task_ids *ids)
{
	u32 zero = 0;
	struct wick_present_thread *thread = bpf_map_lookup_elem(&present_thread, &zero);

	if (!thread || !task->pid || task->exit_state)
		return NULL;
	*ids = ids_of(task);
	if (!other_task_passes(task, *ids))
		return NULL;
	__builtin_memset(thread, 0, sizeof(*thread));
	thread->tgid = ids->tgid;
	thread->tid = ids->tid;
	thread->kernel_tid = task->pid;
	thread->inner_tid = innermost_upid(task).nr;
	thread->switches = switches_of(task);
	bpf_probe_read_kernel(thread->comm, sizeof(thread->comm), task->comm);
	if (!task->on_cpu)
		read_futex(task, thread);
	return thread;
}

/* With its stack, which has waited that long. */
static __always_inline void show_thread(struct bpf_iter__task *ctx, struct task_struct *task,
					struct task_ids ids, struct wick_present_thread *thread,
					u32 tag, u64 waited_ns)
{
	struct wick_stack_record *record;
	/* On the stack: 6.1 takes no key from memory it was given a pointer to. */
	struct wick_stack_key key;

	if (!task->on_cpu) {
		record = take_other_stack(task, ids, tag, false);
		if (record && announce_other(record, task)) {
			key = record->key;
			count_key(&key, waited_ns);
			thread->stack = key;
		}
	}
	bpf_seq_write(ctx->meta->seq, thread, sizeof(*thread));
}
