/* SPDX-License-Identifier: GPL-2.0 */
/* wick dcsnoop: names looked up in the directory cache, and those that were not in it. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/events.bpf.h"
#include "bpf/lib/function.bpf.h"
#include "bpf/abi/dcsnoop.h"

/* What the thread's d_lookup looks for, and the last it did not find. Names are the caller's: they
 * are there until it returns. */
struct lookup {
	const struct qstr *name;
	const struct qstr *missed;
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct lookup);
} lookups SEC(".maps");

u64 starts_lost;

static __always_inline int tell(const struct qstr *name, bool is_miss)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_dcsnoop_event *event;
	u32 length;

	if (!current_task_passes(task))
		return 0;
	event = new_event(struct wick_dcsnoop_event);
	if (!event)
		return 0;
	event->pid = current_ids(task).tgid;
	event->is_miss = is_miss;
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	/* It ends where the path goes on, not with a 0. */
	length = BPF_CORE_READ(name, len);
	bpf_probe_read_kernel(event->name, length & (WICK_DCSNOOP_NAME - 1),
			      BPF_CORE_READ(name, name));
	send_event(event);
	return 0;
}

/* Every lookup begins here; -a. */
WICK_ON_ENTRY(lookup_fast, struct nameidata *path)
{
	return tell(&path->last, false);
}

WICK_ON_ENTRY(d_lookup, const struct dentry *parent, const struct qstr *name)
{
	struct lookup *lookup;

	lookup = bpf_task_storage_get(&lookups, bpf_get_current_task_btf(), NULL,
				      BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (lookup)
		*lookup = (struct lookup){.name = name};
	else
		__sync_fetch_and_add(&starts_lost, 1);
	return 0;
}

WICK_ON_EXIT(d_lookup)
{
	struct lookup *lookup;

	lookup = bpf_task_storage_get(&lookups, bpf_get_current_task_btf(), NULL, 0);
	if (!lookup || !lookup->name)
		return 0;
	if (!result) {
		tell(lookup->name, true);
		lookup->missed = lookup->name;
	}
	lookup->name = NULL;
	return 0;
}

/* stat() and folders on the way come here at once, without d_lookup; others after it. */
WICK_ON_ENTRY(__lookup_slow, const struct qstr *name)
{
	struct lookup *lookup;

	lookup = bpf_task_storage_get(&lookups, bpf_get_current_task_btf(), NULL, 0);
	if (lookup && lookup->missed == name) {
		lookup->missed = NULL;
		return 0;
	}
	return tell(name, true);
}
