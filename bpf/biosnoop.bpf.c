/* SPDX-License-Identifier: GPL-2.0 */
/* wick biosnoop: every block request that is done. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/block.bpf.h"
#include "bpf/lib/events.bpf.h"

SEC("wick_tp/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, u8 error, unsigned int bytes)
{
	struct wick_biosnoop_event *event;
	struct wick_block_request done;

	if (!request_done(request, bytes, &done))
		return 0;
	event = new_event(struct wick_biosnoop_event);
	if (!event)
		return 0;
	event->request = done;
	send_event(event);
	return 0;
}
