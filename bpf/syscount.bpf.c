/* SPDX-License-Identifier: GPL-2.0 */
/* wick syscount: how often system calls are made (amount 0) and how long they take (amount 1). */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/arch/syscalls.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/table.bpf.h"

/* Where calls are counted whose number nobody knows. */
#define UNKNOWN_CALL (WICK_TABLE_NUMBERS - 1)

const volatile bool measure_time = false;
const volatile bool failed_only = false;
const volatile u32 filter_errno = 0;  /* 0: any */
const volatile s32 filter_call = -1;  /* -1: any */
const volatile u32 filter_parent = 0; /* 0: any */

/* When the thread's call began: 0 before the first, so that one under way at the start is not
 * counted with a time of nothing. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u64);
} began SEC(".maps");

u64 starts_lost;

static __always_inline bool is_counted(struct task_struct *task, u64 call)
{
	if (filter_call >= 0 && call != (u64)filter_call)
		return false;
	if (filter_parent && visible_tgid(BPF_CORE_READ(task, real_parent)) != filter_parent)
		return false;
	return current_task_passes(task);
}

SEC("wick_tp/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_table_amounts amounts = {.amount = {1}};
	u64 call = SYSTEM_CALL_NUMBER(regs);
	u64 *start;

	if (failed_only && result >= 0)
		return 0;
	if (filter_errno && result != -(long)filter_errno)
		return 0;
	if (!is_counted(task, call))
		return 0;
	if (measure_time) {
		start = bpf_task_storage_get(&began, task, NULL, 0);
		if (!start || !*start)
			return 0;
		amounts.amount[1] = bpf_ktime_get_ns() - *start;
		*start = 0;
	}
	if (table_by_number)
		table_add(
		    (struct wick_table_key){.first = call < UNKNOWN_CALL ? call : UNKNOWN_CALL},
		    NULL, amounts);
	else
		table_add((struct wick_table_key){.first = current_ids(task).tgid},
			  task->group_leader, amounts);
	return 0;
}

SEC("wick_tp/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 *start;

	if (!is_counted(task, call))
		return 0;
	start = bpf_task_storage_get(&began, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (start)
		*start = bpf_ktime_get_ns();
	else
		__sync_fetch_and_add(&starts_lost, 1);
	return 0;
}
