/* SPDX-License-Identifier: GPL-2.0 */
/* wick biolatency: how long block I/O takes, from being given to the device (or, include_queue, to
 * the kernel's queue) until it is done. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/histogram.bpf.h"

const volatile bool include_queue = false;
const volatile bool by_disk = false;
const volatile bool by_flags = false;
const volatile bool filter_by_disk = false;
const volatile u32 filter_disk = 0;

/* Since when a request is on its way, by its address. NVMe queues rarely pass 1,024 a CPU; what
 * does not fit is counted in starts_lost. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, u64);
} in_flight SEC(".maps");

u64 starts_lost;

/* The kernel's number of the whole disk; 0 for requests that are of none. */
static __always_inline u32 disk_of(struct request *request)
{
	struct gendisk *disk = BPF_CORE_READ(request, q, disk);

	if (!disk)
		return 0;
	return (u32)BPF_CORE_READ(disk, major) << 20 | (u32)BPF_CORE_READ(disk, first_minor);
}

static __always_inline int begin(struct request *request, u64 flags)
{
	u64 address = (u64)request, now = bpf_ktime_get_ns();
	long code;

	if (filter_by_disk && disk_of(request) != filter_disk)
		return 0;
	if (!current_task_passes(bpf_get_current_task_btf()))
		return 0;
	code = bpf_map_update_elem(&in_flight, &address, &now, flags);
	if (code && code != -EEXIST)
		__sync_fetch_and_add(&starts_lost, 1);
	return 0;
}

SEC("wick_tp/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, u8 error, unsigned int bytes)
{
	u64 address = (u64)request, now = bpf_ktime_get_ns(), since;
	struct wick_histogram_key key = {};
	u64 *start = bpf_map_lookup_elem(&in_flight, &address);

	/* A part of it: the rest is still on its way. */
	if (!start || bytes < request->__data_len)
		return 0;
	since = *start;
	bpf_map_delete_elem(&in_flight, &address);
	if (now < since)
		return 0;
	if (by_disk)
		key.first = disk_of(request);
	if (by_flags)
		key.second = request->cmd_flags;
	histogram_add(key, NULL, now - since);
	return 0;
}

/* It goes on as a part of another. */
SEC("wick_tp/block_rq_merge")
int BPF_PROG(on_merge, struct request *request)
{
	u64 address = (u64)request;

	bpf_map_delete_elem(&in_flight, &address);
	return 0;
}

SEC("wick_tp/block_rq_insert")
int BPF_PROG(on_insert, struct request *request)
{
	/* One that comes back has waited since it first came. */
	return begin(request, BPF_NOEXIST);
}

SEC("wick_tp/block_rq_issue")
int BPF_PROG(on_issue, struct request *request)
{
	return begin(request, include_queue ? BPF_NOEXIST : BPF_ANY);
}
