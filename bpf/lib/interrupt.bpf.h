/* SPDX-License-Identifier: GPL-2.0 */
/* Whether the kernel is at an interrupt's work on this CPU: `current` is then only whom it hit. The
 * kernel's own counter has no name that all kernels share, so the tracepoints around that work say
 * it. Include it where a program asks; they are attached with the rest. */
#pragma once

#include "bpf/abi/sched.h"

/* One within the other: a timer's interrupt hits a device's work. */
struct interrupt_work {
	u8 timer;
	u8 device;
	u8 softirq; /* its number and one */
	u8 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct interrupt_work);
} interrupts SEC(".maps");

static __always_inline struct interrupt_work *interrupt_work(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&interrupts, &zero);
}

/* enum wick_waker_context */
static __always_inline u32 interrupt_context(void)
{
	struct interrupt_work *work = interrupt_work();

	if (!work)
		return WICK_WAKER_TASK;
	if (work->timer)
		return WICK_WAKER_TIMER;
	if (work->device)
		return WICK_WAKER_DEVICE;
	return work->softirq ? WICK_WAKER_SOFTIRQ + work->softirq - 1U : WICK_WAKER_TASK;
}

#define WICK_MARK_WORK(tracepoint, member, number)                                                 \
	SEC("raw_tp/" #tracepoint)                                                                 \
	int BPF_PROG(on_##tracepoint, u64 first)                                                   \
	{                                                                                          \
		struct interrupt_work *work = interrupt_work();                                    \
                                                                                                   \
		if (work)                                                                          \
			work->member = number;                                                     \
		return 0;                                                                          \
	}

WICK_MARK_WORK(hrtimer_expire_entry, timer, 1)
WICK_MARK_WORK(hrtimer_expire_exit, timer, 0)
WICK_MARK_WORK(irq_handler_entry, device, 1)
WICK_MARK_WORK(irq_handler_exit, device, 0)
WICK_MARK_WORK(softirq_entry, softirq, (u8)first + 1)
WICK_MARK_WORK(softirq_exit, softirq, 0)
