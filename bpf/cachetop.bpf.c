/* SPDX-License-Identifier: GPL-2.0 */
/* wick cachetop: how often pages are found in the page cache, by process. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/cache_use.bpf.h"
