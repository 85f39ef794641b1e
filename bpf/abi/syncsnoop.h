/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/syncsnoop.bpf.c tells src/tools/syncsnoop.cpp. */
#pragma once

#include "bpf/abi/events.h"

struct wick_syncsnoop_event {
	struct wick_event_head head;
	__u32 pid;
	__u32 call; /* the system call's number */
	char comm[16];
};
