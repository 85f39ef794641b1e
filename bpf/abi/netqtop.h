/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/netqtop.bpf.c and src/tools/netqtop.cpp agree on: a row's key.first is the direction,
 * key.second the queue; its amounts are these. */
#pragma once

enum wick_netqtop_direction {
	WICK_NETQTOP_TRANSMIT = 0,
	WICK_NETQTOP_RECEIVE = 1,
};

enum wick_netqtop_amount {
	WICK_NETQTOP_PACKETS = 0,
	WICK_NETQTOP_BYTES = 1,
	WICK_NETQTOP_FIRST_SIZE = 2, /* up to 64, 512, 2 K, 16 K bytes, and above */
	WICK_NETQTOP_SIZES = 5,
};
