/* SPDX-License-Identifier: GPL-2.0 */
/* wick readahead: how old pages are that read-ahead brought when they are first asked for, and how
 * many never are. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/histogram.bpf.h"

static __always_inline void page_used(u64 age_ns)
{
	histogram_add((struct wick_histogram_key){}, NULL, age_ns);
}

#include "bpf/lib/pages_ahead.bpf.h"

/* What the thread is reading ahead. */
struct ahead_range {
	u64 host; /* the inode */
	u64 first;
	u64 last;
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct ahead_range);
} reading_ahead SEC(".maps");

static __always_inline void read_ahead(struct inode *host, u64 first, u64 count)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct ahead_range *range;

	if (!count || !current_task_passes(task))
		return;
	range = bpf_task_storage_get(&reading_ahead, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (range)
		*range = (struct ahead_range){(u64)host, first, first + count - 1};
	else
		__sync_fetch_and_add(&starts_lost, count);
}

/* By the thread that reads ahead, and what it said it would. */
static __always_inline void pages_added(struct folio *folio, u64 count)
{
	struct address_space *mapping = BPF_CORE_READ(folio, mapping);
	u64 first = BPF_CORE_READ(folio, index);
	struct ahead_range *range =
	    bpf_task_storage_get(&reading_ahead, bpf_get_current_task_btf(), NULL, 0);

	if (range && range->host == (u64)BPF_CORE_READ(mapping, host) &&
	    first + count > range->first && first <= range->last)
		visit_pages(mapping, first, first + count, BROUGHT);
}

static __always_inline void pages_read(struct address_space *mapping, u64 first, u64 end)
{
	visit_pages(mapping, first, end, USED);
}

static __always_inline void pages_faulted(struct address_space *mapping, u64 first, u64 end)
{
	visit_pages(mapping, first, end, USED);
}

#include "bpf/lib/cache.bpf.h"

SEC("wick_tp/page_cache_ra_unbounded")
int BPF_PROG(rather_ra_unbounded, struct inode *host, unsigned long first, unsigned long count)
{
	read_ahead(host, first, count);
	return 0;
}

SEC("wick_tp/page_cache_ra_order")
int BPF_PROG(rather_ra_order, struct inode *host, unsigned long first, struct file_ra_state *ra)
{
	read_ahead(host, first, ra->size);
	return 0;
}

WICK_ON_ENTRY(page_cache_ra_unbounded, struct readahead_control *control, unsigned long count)
{
	read_ahead(BPF_CORE_READ(control, mapping, host), BPF_CORE_READ(control, _index), count);
	return 0;
}

WICK_ON_ENTRY(page_cache_ra_order, struct readahead_control *control, struct file_ra_state *ra)
{
	read_ahead(BPF_CORE_READ(control, mapping, host), BPF_CORE_READ(control, _index),
		   BPF_CORE_READ(ra, size));
	return 0;
}

/* Where no tracepoint tells of reads: a folio of those that are being read. */
WICK_ON_ENTRY(folio_mark_accessed, struct folio *folio)
{
	u64 first = BPF_CORE_READ(folio, index);

	visit_pages(BPF_CORE_READ(folio, mapping), first, first + folio_pages(folio), USED);
	return 0;
}
