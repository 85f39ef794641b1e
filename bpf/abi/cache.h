/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/lib/cache_use.bpf.h counts, in pages: the amounts of a row of cachestat and cachetop. */
#pragma once

enum wick_cache_amount {
	WICK_CACHE_ASKED = 0, /* by reads and faults */
	WICK_CACHE_ADDED = 1, /* not by writes */
	WICK_CACHE_DIRTIED = 2,
	WICK_CACHE_ADDED_BY_WRITE = 3,
	WICK_CACHE_FIRST =
	    4, /* of those asked for: added not by writes, and not asked for before */
};
