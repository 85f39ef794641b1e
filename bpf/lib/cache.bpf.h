/* SPDX-License-Identifier: GPL-2.0 */
/* The page cache: pages that are added and pages that are asked for, for tools that define
 *
 *   static __always_inline void pages_added(struct folio *folio, u64 count);
 *   static __always_inline void pages_read(struct address_space *mapping, u64 first, u64 last);
 *   static __always_inline void pages_faulted(struct address_space *mapping, u64 first, u64 last);
 *
 * and include this behind them. Since 6.12 tracepoints tell what is asked for, when it is there;
 * before, functions do, which a tool hooks for reads by itself (rather_...: see function.bpf.h).
 *
 * A read goes through the cache in steps: pages_read is called for each, with all that is left. A
 * fault that waited for the disk is taken again. */
#pragma once

#include "bpf/lib/function.bpf.h"

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
	pages_read(mapping, first, last);
	return 0;
}

/* Pages around the one that a fault wants are mapped with it, if they are there. */
SEC("wick_tp/mm_filemap_map_pages")
int BPF_PROG(rather_map_pages, struct address_space *mapping, unsigned long first,
	     unsigned long last)
{
	pages_faulted(mapping, first, last);
	return 0;
}

SEC("wick_tp/mm_filemap_fault")
int BPF_PROG(rather_fault, struct address_space *mapping, unsigned long page)
{
	pages_faulted(mapping, page, page);
	return 0;
}

WICK_ON_ENTRY(filemap_map_pages, struct vm_fault *fault, unsigned long first, unsigned long last)
{
	pages_faulted(BPF_CORE_READ(fault, vma, vm_file, f_mapping), first, last);
	return 0;
}

WICK_ON_ENTRY(filemap_fault, struct vm_fault *fault)
{
	u64 page = BPF_CORE_READ(fault, pgoff);

	pages_faulted(BPF_CORE_READ(fault, vma, vm_file, f_mapping), page, page);
	return 0;
}
