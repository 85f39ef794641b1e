/* SPDX-License-Identifier: GPL-2.0 */
/* The page cache: pages that are added and pages that are asked for, for tools that define
 *
 *   static __always_inline void pages_added(struct folio *folio, u64 count);
 *   static __always_inline void pages_read(struct address_space *mapping, u64 first, u64 end);
 *   static __always_inline void pages_faulted(struct address_space *mapping, u64 first, u64 end);
 *
 * and include this behind them. `end` is behind the last page, and not behind the end of the file.
 * Since 6.12 tracepoints tell what is asked for, when it is there; before, functions do, which a
 * tool hooks for reads by itself (rather_...: see function.bpf.h).
 *
 * A read goes through the cache in steps: pages_read is called for each, with all that is left. A
 * fault that waited for the disk is taken again. */
#pragma once

#include "bpf/lib/function.bpf.h"
#include "bpf/lib/pages_ahead.bpf.h"

/* A large folio's second page points to its first: in all kernels since there are folios. The flag
 * that says the same moved. */
static __always_inline u64 folio_pages(struct folio *folio)
{
	u64 head;

	if (bpf_core_field_exists(folio->_head_1))
		head = BPF_CORE_READ(folio, _head_1);
	else
		head = BPF_CORE_READ(folio, __head);
	if (head != (u64)folio + 1)
		return 1;
	if (bpf_core_field_exists(folio->_nr_pages))
		return BPF_CORE_READ(folio, _nr_pages);
	if (bpf_core_field_exists(folio->_folio_nr_pages))
		return BPF_CORE_READ(folio, _folio_nr_pages);
	return 1;
}

#define WICK_PAGE_SHIFT 12

/* Behind `last`, or where the file ends. */
static __always_inline u64 end_of_pages(struct address_space *mapping, u64 last)
{
	s64 size = BPF_CORE_READ(mapping, host, i_size);
	u64 pages = size > 0 ? (((u64)size - 1) >> WICK_PAGE_SHIFT) + 1 : 0;

	return last < pages ? last + 1 : pages;
}

static __always_inline void fault(struct address_space *mapping, u64 first, u64 last)
{
	u64 end = end_of_pages(mapping, last);

	if (first < end)
		pages_faulted(mapping, first, end);
}

SEC("wick_tp/mm_filemap_add_to_page_cache")
int BPF_PROG(on_add, struct folio *folio)
{
	pages_added(folio, folio_pages(folio));
	return 0;
}

SEC("wick_tp/mm_filemap_delete_from_page_cache")
int BPF_PROG(on_delete, struct folio *folio)
{
	u64 first = BPF_CORE_READ(folio, index);

	visit_pages(BPF_CORE_READ(folio, mapping), first, first + folio_pages(folio), DROPPED);
	return 0;
}

SEC("wick_tp/mm_filemap_get_pages")
int BPF_PROG(rather_get_pages, struct address_space *mapping, unsigned long first,
	     unsigned long last)
{
	u64 end = end_of_pages(mapping, last);

	if (first < end)
		pages_read(mapping, first, end);
	return 0;
}

/* Pages around the one that a fault wants are mapped with it, if they are there. */
SEC("wick_tp/mm_filemap_map_pages")
int BPF_PROG(rather_map_pages, struct address_space *mapping, unsigned long first,
	     unsigned long last)
{
	fault(mapping, first, last);
	return 0;
}

SEC("wick_tp/mm_filemap_fault")
int BPF_PROG(rather_fault, struct address_space *mapping, unsigned long page)
{
	fault(mapping, page, page);
	return 0;
}

WICK_ON_ENTRY(filemap_map_pages, struct vm_fault *at, unsigned long first, unsigned long last)
{
	fault(BPF_CORE_READ(at, vma, vm_file, f_mapping), first, last);
	return 0;
}

WICK_ON_ENTRY(filemap_fault, struct vm_fault *at)
{
	u64 page = BPF_CORE_READ(at, pgoff);

	fault(BPF_CORE_READ(at, vma, vm_file, f_mapping), page, page);
	return 0;
}
