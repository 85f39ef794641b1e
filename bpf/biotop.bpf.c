/* SPDX-License-Identifier: GPL-2.0 */
/* wick biotop: requests (amount 0), bytes (1) and nanoseconds (2) by process, device and kind. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/block.bpf.h"
#include "bpf/lib/table.bpf.h"

SEC("wick_tp/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, u8 error, unsigned int bytes)
{
	struct wick_block_request done;

	if (!request_done(request, bytes, &done))
		return 0;
	table_add_named((struct wick_table_key){.first = done.tgid,
						.second = (u64)done.kind << 32 | done.device},
			done.comm, (struct wick_table_amounts){{1, done.bytes, done.device_ns}});
	return 0;
}
