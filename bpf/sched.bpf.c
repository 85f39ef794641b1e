/* SPDX-License-Identifier: GPL-2.0 */
/* wick sched: when the threads of a process run, may run, sleep, and who wakes them. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/arch/syscalls.bpf.h"
#include "bpf/abi/sched.h"
#include "bpf/lib/events.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/interrupt.bpf.h"

/* Who is waking the task: the waker is current in sched_waking; in sched_wakeup, where the task is
 * in a queue and its wait begins, it may be anybody on the other CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wick_sched_waker);
} wakers SEC(".maps");

static __always_inline void describe(struct wick_sched_task *to, struct task_struct *task)
{
	to->tgid = caller_pidns ? visible_tgid(task) : task->tgid;
	to->tid = caller_pidns ? visible_nr(BPF_CORE_READ(task, thread_pid)) : task->pid;
	bpf_probe_read_kernel_str(to->comm, sizeof(to->comm), task->comm);
}

static __always_inline struct wick_sched_event *begin(enum wick_sched_kind kind,
						      struct task_struct *task)
{
	struct wick_sched_event *event = new_event(struct wick_sched_event);

	if (!event)
		return NULL;
	event->kind = kind;
	event->cpu = bpf_get_smp_processor_id();
	event->syscall = -1;
	describe(&event->task, task);
	return event;
}

/* Negative after a fault or an interrupt. */
static __always_inline s32 current_syscall(struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 number = -1;

	if (!task->mm)
		return -1;
	bpf_probe_read_kernel(&number, sizeof(number), &SYSTEM_CALL_NUMBER(regs));
	return number;
}

SEC("wick_tp/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct wick_sched_waker *waker;

	if (!any_task_passes(task))
		return 0;
	waker = bpf_task_storage_get(&wakers, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!waker)
		return 0;
	waker->known = 1;
	waker->context = interrupt_context();
	describe(&waker->task, bpf_get_current_task_btf());
	return 0;
}

static __always_inline int on_queue(struct task_struct *task)
{
	struct wick_sched_waker *waker;
	struct wick_sched_event *event;

	/* Woken before it was off its CPU: it just runs on. */
	if (task->on_cpu || !any_task_passes(task))
		return 0;
	event = begin(WICK_SCHED_WAKE, task);
	if (!event)
		return 0;
	waker = bpf_task_storage_get(&wakers, task, NULL, 0);
	if (waker)
		event->waker = *waker;
	send_event(event);
	return 0;
}

#include "bpf/lib/wakeups.bpf.h"

SEC("wick_tp/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	struct wick_sched_event *event;

	if (any_task_passes(prev)) {
		event = begin(WICK_SCHED_LEAVE, prev);
		if (event) {
			event->state = preempt ? 0 : prev_state;
			if (event->state)
				event->syscall = current_syscall(prev);
			send_event(event);
		}
	}
	if (any_task_passes(next)) {
		event = begin(WICK_SCHED_RUN, next);
		if (event)
			send_event(event);
	}
	return 0;
}
