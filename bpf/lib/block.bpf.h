/* SPDX-License-Identifier: GPL-2.0 */
/* Block requests from when they are made until they are done: whose, since when, how much. The
 * programs that follow them are here; a tool adds what is to happen at the end:
 *
 *   SEC("wick_tp/block_rq_complete")
 *   int BPF_PROG(on_complete, struct request *request, u8 error, unsigned int bytes)
 *   {
 *           struct wick_block_request done;
 *
 *           if (request_done(request, bytes, &done))
 *                   …
 *           return 0;
 *   }
 *
 * User space (src/tool/files/block_requests.h) loads those of them the tool and the kernel have. */
#pragma once

#include "bpf/abi/block.h"
#include "bpf/lib/filter_any.bpf.h"

const volatile bool keep_owner = false; /* whose they are, for the filter or to be told */
const volatile bool filter_by_disk = false;
const volatile u32 filter_disk = 0;

struct request_start {
	u64 made_ns;
	u64 issued_ns; /* 0: not yet given to the device */
	u64 sector;
	u32 bytes;
	u32 tgid;
	char comm[WICK_BLOCK_COMM];
	u64 unwanted; /* its owner does not pass the filter */
};

/* Those on their way, by address. NVMe queues rarely pass 1,024 a CPU; what does not fit is counted
 * in starts_full. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, struct request_start);
} in_flight SEC(".maps");

u64 starts_full; /* no room to keep them */
u64 ends_unseen;

/* Now and then the kernel does not tell of the end of some requests in a row (seen on 6.18 under
 * load; libbpf-tools miss the same ones). It shows when the same request is made anew. */
static __always_inline void count_if_end_was_missed(struct request_start *old)
{
	if (old->issued_ns && !old->unwanted)
		__sync_fetch_and_add(&ends_unseen, 1);
}

/* The kernel's number of the whole disk; 0 for requests that are of none. */
static __always_inline u32 disk_of(struct request *request)
{
	struct gendisk *disk = BPF_CORE_READ(request, q, disk);

	if (!disk)
		return 0;
	return (u32)BPF_CORE_READ(disk, major) << 20 | (u32)BPF_CORE_READ(disk, first_minor);
}

/* Of the partition, where requests are accounted to one. */
static __always_inline u32 device_of(struct request *request)
{
	struct block_device *part = request->part;

	return part ? BPF_CORE_READ(part, bd_dev) : disk_of(request);
}

/* The kernel's numbers (enum req_op), which go into its traces and do not change. */
static __always_inline u32 kind_of(u32 flags)
{
	switch (flags & 0xFF) {
	case 0:
		return WICK_BLOCK_READ;
	case 1:
	case 7: /* zone append */
	case 9: /* write zeroes */
		return WICK_BLOCK_WRITE;
	case 2:
		return WICK_BLOCK_FLUSH;
	case 3:
	case 5: /* secure erase */
		return WICK_BLOCK_DISCARD;
	default:
		return WICK_BLOCK_KINDS;
	}
}

static __always_inline bool disk_passes(struct request *request)
{
	return !filter_by_disk || disk_of(request) == filter_disk;
}

static __always_inline void keep_request(struct request *request, struct request_start *start,
					 u64 flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 address = (u64)request;
	long code;

	if (keep_owner) {
		start->tgid = current_ids(task).tgid;
		start->unwanted = !current_task_passes(task);
		bpf_get_current_comm(start->comm, sizeof(start->comm));
	}
	code = bpf_map_update_elem(&in_flight, &address, start, flags);
	if (code && code != -EEXIST)
		__sync_fetch_and_add(&starts_full, 1);
}

/* v6.5 has this tracepoint: the current task is the one that asks for the I/O. */
SEC("?wick_tp/block_io_start")
int BPF_PROG(on_made, struct request *request)
{
	struct request_start start = {.made_ns = bpf_ktime_get_ns()};
	u64 address = (u64)request;
	struct request_start *old = bpf_map_lookup_elem(&in_flight, &address);

	if (old)
		count_if_end_was_missed(old);
	if (disk_passes(request))
		keep_request(request, &start, BPF_ANY);
	return 0;
}

/* In front of v6.5. Requests that go to the device at once are not inserted first. */
SEC("?wick_tp/block_rq_insert")
int BPF_PROG(on_insert, struct request *request)
{
	struct request_start start = {.made_ns = bpf_ktime_get_ns()};

	/* One that comes back has waited since it first came. */
	if (disk_passes(request))
		keep_request(request, &start, BPF_NOEXIST);
	return 0;
}

static __always_inline bool is_part(struct request *request, struct request_start *whole)
{
	return request->__sector >= whole->sector &&
	       request->__sector <= whole->sector + whole->bytes / 512;
}

SEC("wick_tp/block_rq_issue")
int BPF_PROG(on_issue, struct request *request)
{
	u64 address = (u64)request, now = bpf_ktime_get_ns();
	struct request_start *known = bpf_map_lookup_elem(&in_flight, &address);

	if (!disk_passes(request))
		return 0;
	/* What is issued again is all of it, or the rest of what a device did in part. */
	if (known && known->issued_ns && !is_part(request, known)) {
		count_if_end_was_missed(known);
		known = NULL;
	}
	if (!known) {
		struct request_start start = {.made_ns = now,
					      .issued_ns = now,
					      .sector = request->__sector,
					      .bytes = request->__data_len};

		keep_request(request, &start, BPF_ANY);
		return 0;
	}
	if (!known->issued_ns) {
		known->sector = request->__sector;
		known->bytes = request->__data_len;
	}
	known->issued_ns = now;
	return 0;
}

/* It goes on as a part of another. */
SEC("?wick_tp/block_rq_merge")
int BPF_PROG(on_merge, struct request *request)
{
	u64 address = (u64)request;

	bpf_map_delete_elem(&in_flight, &address);
	return 0;
}

/* False: only a part of it is done, or it is none that was asked for. */
static __always_inline bool request_done(struct request *request, u32 bytes,
					 struct wick_block_request *done)
{
	u64 address = (u64)request, now = bpf_ktime_get_ns();
	struct request_start *start = bpf_map_lookup_elem(&in_flight, &address);
	bool counts;

	if (!start || bytes < request->__data_len)
		return false;
	/* A flush without data is never issued itself: the kernel makes a request for it. */
	counts = !start->unwanted && start->issued_ns && start->issued_ns <= now;
	*done = (struct wick_block_request){
	    /* The kernel's -1, for none. */
	    .sector = start->sector == ~0ULL ? 0 : start->sector,
	    .queue_ns = start->issued_ns - start->made_ns,
	    .device_ns = now - start->issued_ns,
	    .bytes = start->bytes,
	    .device = device_of(request),
	    .flags = request->cmd_flags,
	    .kind = kind_of(request->cmd_flags),
	    .tgid = start->tgid,
	};
	__builtin_memcpy(done->comm, start->comm, sizeof(done->comm));
	bpf_map_delete_elem(&in_flight, &address);
	return counts;
}
