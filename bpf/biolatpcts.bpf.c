/* SPDX-License-Identifier: GPL-2.0 */
/* wick biolatpcts: how long the requests of one disk take, by what they do. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/block.bpf.h"
#include "bpf/lib/histogram.bpf.h"

const volatile u32 since = WICK_SINCE_ISSUED;

/* Requests of which the kernel does not say when they began. */
u64 without_start;

static __always_inline u64 kernels_start(struct request *request)
{
	if (since == WICK_SINCE_ALLOCATED)
		return bpf_core_field_exists(request->alloc_time_ns)
			   ? BPF_CORE_READ(request, alloc_time_ns)
			   : 0;
	return request->start_time_ns;
}

SEC("wick_tp/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, u8 error, unsigned int bytes)
{
	struct wick_histogram_key key = {};
	struct wick_block_request done;
	u64 began, now = bpf_ktime_get_ns();

	if (!request_done(request, bytes, &done) || done.kind == WICK_BLOCK_KINDS)
		return 0;
	key.first = done.kind;
	if (since == WICK_SINCE_ISSUED) {
		histogram_add(key, NULL, done.device_ns);
		return 0;
	}
	began = kernels_start(request);
	if (began && began <= now)
		histogram_add(key, NULL, now - began);
	else
		__sync_fetch_and_add(&without_start, 1);
	return 0;
}
