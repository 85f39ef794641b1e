/* SPDX-License-Identifier: GPL-2.0 */
/* wick fileslower: reads and writes of files that take long. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/events.bpf.h"
#include "bpf/lib/paths.bpf.h"
#include "bpf/lib/file_io.bpf.h"
#include "bpf/abi/file_io.h"

const volatile u64 min_ns = 0;

static __always_inline void file_io_done(struct task_struct *task, struct file_io *io, long result)
{
	struct wick_fileslower_event *event;
	u64 latency_ns = bpf_ktime_get_ns() - io->start_ns;
	struct task_ids ids;
	u64 path;

	if (latency_ns < min_ns)
		return;
	path = file_io_path(io);
	event = new_event(struct wick_fileslower_event);
	if (!event)
		return;
	ids = current_ids(task);
	event->path = path;
	event->latency_ns = latency_ns;
	event->result = result;
	event->pid = ids.tgid;
	event->tid = ids.tid;
	event->is_write = io->is_write;
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	send_event(event);
}
