/* SPDX-License-Identifier: GPL-2.0 */
/* The two tracepoints that tell of a task that may run now: one for new ones, one for all others.
 * To be included below the tool's `static __always_inline int on_queue(struct task_struct *task)`.
 */
#pragma once

SEC("wick_tp/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	return on_queue(task);
}

SEC("wick_tp/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *task)
{
	return on_queue(task);
}
