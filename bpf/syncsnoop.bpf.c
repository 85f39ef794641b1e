/* SPDX-License-Identifier: GPL-2.0 */
/* wick syncsnoop: who makes the kernel write files back, as the call is made. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/arch/syscalls.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/events.bpf.h"
#include "bpf/abi/syncsnoop.h"

static __always_inline bool is_sync(long call)
{
	switch (call) {
	case CALL_MSYNC:
	case CALL_FSYNC:
	case CALL_FDATASYNC:
	case CALL_SYNC:
	case CALL_SYNC_FILE_RANGE:
	case CALL_SYNCFS:
		return true;
	default:
		return false;
	}
}

SEC("wick_tp/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_syncsnoop_event *event;

	if (!is_sync(call) || !current_task_passes(task))
		return 0;
	event = new_event(struct wick_syncsnoop_event);
	if (!event)
		return 0;
	event->pid = current_ids(task).tgid;
	event->call = call;
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	send_event(event);
	return 0;
}
