/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/lib/events.bpf.h and user space (src/tool/event/event_stream.h) agree on: how every
 * event of a stream begins. */
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

struct wick_event_head {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 lost; /* events that found no room before this one: where it grows there is a gap */
};
