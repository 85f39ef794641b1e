/* SPDX-License-Identifier: GPL-2.0 */
/* wick cachestat: how often pages are found in the page cache, in all. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/cache_use.bpf.h"
