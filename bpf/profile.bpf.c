/* SPDX-License-Identifier: GPL-2.0 */
/* wick profile: counts the stack of whatever a clock tick, an event or a tracepoint interrupts. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/follow.bpf.h"
#include "bpf/lib/stacks.bpf.h"

/* For tracepoints, where the kernel runs the program on every hit: count one in so many, on this
 * CPU only. */
const volatile u64 every = 1;
const volatile s32 only_cpu = -1;
u64 hits;

SEC("perf_event")
int on_event(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return count_stack(ctx, task, !is_in_user(ctx), sampled_registers(ctx, task), 1);
}

SEC("tracepoint")
int on_tracepoint(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (only_cpu >= 0 && bpf_get_smp_processor_id() != (u32)only_cpu)
		return 0;
	if (every > 1 && __sync_fetch_and_add(&hits, 1) % every)
		return 0;
	return count_stack(ctx, task, true, registers_of(task), 1);
}
