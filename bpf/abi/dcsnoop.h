/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/dcsnoop.bpf.c tells src/tools/dcsnoop.cpp. */
#pragma once

#include "bpf/abi/events.h"

enum {
	WICK_DCSNOOP_NAME = 256, /* names have up to 255 bytes */
};

struct wick_dcsnoop_event {
	struct wick_event_head head;
	__u32 pid;
	__u32 is_miss;
	char comm[16];
	char name[WICK_DCSNOOP_NAME];
};
