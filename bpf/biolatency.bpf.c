/* SPDX-License-Identifier: GPL-2.0 */
/* wick biolatency: how long block I/O takes, from being given to the device (or, include_queue,
 * from being made) until it is done. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/block.bpf.h"
#include "bpf/lib/histogram.bpf.h"

const volatile bool include_queue = false;
const volatile bool by_disk = false;
const volatile bool by_flags = false;

SEC("wick_tp/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, u8 error, unsigned int bytes)
{
	struct wick_histogram_key key = {};
	struct wick_block_request done;

	if (!request_done(request, bytes, &done))
		return 0;
	if (by_disk)
		key.first = disk_of(request);
	if (by_flags)
		key.second = done.flags;
	histogram_add(key, NULL, done.device_ns + (include_queue ? done.queue_ns : 0));
	return 0;
}
