/* SPDX-License-Identifier: GPL-2.0 */
/* The page cache: which pages are asked for and which are added, for the tools that define
 *
 *   static __always_inline void pages_asked(struct address_space *mapping, u64 first, u64 count);
 *   static __always_inline void pages_added(struct folio *folio, u64 count);
 *
 * and include this behind them. Pages are asked for by reads and by faults; a page that is not
 * there is asked for all the same, and added. Since 6.12 tracepoints tell of both; before, the
 * functions they stand in do (programs named rather_...: see function.bpf.h). */
#pragma once

#include "bpf/lib/function.bpf.h"

#define WICK_PAGE_SHIFT 12

/* What the thread asked for last. A read goes through the cache in several steps, each of which
 * asks for the rest; a fault that had to wait for the disk is taken again. Neither counts twice. */
struct asked_pages {
	u64 mapping;
	u64 first;
	u64 last;
	u64 reads; /* how many read calls the thread had made by then; of a fault ASKED_BY_FAULT */
};
#define ASKED_BY_FAULT (~0ULL)

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct asked_pages);
} asked_before SEC(".maps");

u64 starts_lost;

/* A large folio's second page points to its first: in all kernels since there are folios. The flag
 * that says the same moved. */
static __always_inline u64 folio_pages(struct folio *folio)
{
	if (BPF_CORE_READ(folio, _head_1) != (u64)folio + 1)
		return 1;
	if (bpf_core_field_exists(folio->_nr_pages))
		return BPF_CORE_READ(folio, _nr_pages);
	if (bpf_core_field_exists(folio->_folio_nr_pages))
		return BPF_CORE_READ(folio, _folio_nr_pages);
	return 1;
}

/* Whether the thread already asked for these; remembers them if not. */
static __always_inline bool asked_again(struct address_space *mapping, u64 first, u64 last,
					u64 reads)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct asked_pages *before =
	    bpf_task_storage_get(&asked_before, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!before) {
		__sync_fetch_and_add(&starts_lost, 1);
		return false;
	}
	/* The steps of a read end all at the same page; each begins behind the one before. */
	if (before->mapping == (u64)mapping && before->reads == reads && first >= before->first &&
	    last <= before->last &&
	    (reads == ASKED_BY_FAULT || (last == before->last && first > before->first)))
		return true;
	*before = (struct asked_pages){
	    .mapping = (u64)mapping, .first = first, .last = last, .reads = reads};
	return false;
}

/* From `first` up to `last`, but not beyond the end of the file. */
static __always_inline void ask(struct address_space *mapping, u64 first, u64 last)
{
	s64 size = BPF_CORE_READ(mapping, host, i_size);
	u64 end;

	if (size <= 0)
		return;
	end = (u64)(size - 1) >> WICK_PAGE_SHIFT;
	if (last > end)
		last = end;
	if (first <= last)
		pages_asked(mapping, first, last - first + 1);
}

static __always_inline void ask_by_fault(struct address_space *mapping, u64 first, u64 last)
{
	if (!asked_again(mapping, first, last, ASKED_BY_FAULT))
		ask(mapping, first, last);
}

SEC("wick_tp/mm_filemap_add_to_page_cache")
int BPF_PROG(on_add, struct folio *folio)
{
	pages_added(folio, folio_pages(folio));
	return 0;
}

SEC("wick_tp/mm_filemap_get_pages")
int BPF_PROG(rather_get_pages, struct address_space *mapping, unsigned long first,
	     unsigned long last)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 reads = 0;

	if (bpf_core_field_exists(task->ioac.syscr))
		reads = task->ioac.syscr;
	if (!asked_again(mapping, first, last, reads))
		ask(mapping, first, last);
	return 0;
}

/* Pages around the one that a fault wants are mapped with it, if they are there. */
SEC("wick_tp/mm_filemap_map_pages")
int BPF_PROG(rather_map_pages, struct address_space *mapping, unsigned long first,
	     unsigned long last)
{
	ask_by_fault(mapping, first, last);
	return 0;
}

SEC("wick_tp/mm_filemap_fault")
int BPF_PROG(rather_fault, struct address_space *mapping, unsigned long page)
{
	ask_by_fault(mapping, page, page);
	return 0;
}

WICK_ON_ENTRY(filemap_read, struct kiocb *iocb, struct iov_iter *to)
{
	u64 position = BPF_CORE_READ(iocb, ki_pos), bytes = BPF_CORE_READ(to, count);

	if (bytes)
		ask(BPF_CORE_READ(iocb, ki_filp, f_mapping), position >> WICK_PAGE_SHIFT,
		    (position + bytes - 1) >> WICK_PAGE_SHIFT);
	return 0;
}

WICK_ON_ENTRY(filemap_map_pages, struct vm_fault *fault, unsigned long first, unsigned long last)
{
	ask_by_fault(BPF_CORE_READ(fault, vma, vm_file, f_mapping), first, last);
	return 0;
}

WICK_ON_ENTRY(filemap_fault, struct vm_fault *fault)
{
	u64 page = BPF_CORE_READ(fault, pgoff);

	ask_by_fault(BPF_CORE_READ(fault, vma, vm_file, f_mapping), page, page);
	return 0;
}
