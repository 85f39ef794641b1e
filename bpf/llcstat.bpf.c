/* SPDX-License-Identifier: GPL-2.0 */
/* wick llcstat: references of a cache (amount 0) and misses (amount 1), by process and CPU. Each
 * run of a program stands for a period of events. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/table.bpf.h"

const volatile bool by_thread = false;

static __always_inline void count_events(struct bpf_perf_event_data *ctx, u32 what)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_ids ids = current_ids(task);
	struct wick_table_amounts amounts = {};
	struct wick_table_key key = {.first = ids.tgid};

	if (!task_passes(task, ids))
		return;
	amounts.amount[what] = ctx->sample_period;
	if (by_thread)
		key.first |= (u64)ids.tid << 32;
	key.second = bpf_get_smp_processor_id();
	table_add(key, by_thread ? task : task->group_leader, amounts);
}

SEC("perf_event")
int on_reference(struct bpf_perf_event_data *ctx)
{
	count_events(ctx, 0);
	return 0;
}

SEC("perf_event")
int on_miss(struct bpf_perf_event_data *ctx)
{
	count_events(ctx, 1);
	return 0;
}
