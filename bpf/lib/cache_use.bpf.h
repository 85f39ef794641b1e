/* SPDX-License-Identifier: GPL-2.0 */
/* Who uses the page cache, in the amounts of bpf/abi/cache.h: of cachestat and cachetop, which
 * differ in whose row it is. */
#pragma once

#include "bpf/abi/cache.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/table.bpf.h"

/* cachetop; else everything is one row. */
const volatile bool by_process = false;

static __always_inline void add_use(u32 what, u64 pages)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_table_amounts amounts = {};
	struct wick_table_key key = {};

	if (!current_task_passes(task))
		return;
	amounts.amount[what] = pages;
	if (by_process) {
		key.first = current_ids(task).tgid;
		key.second = (u32)bpf_get_current_uid_gid();
	}
	table_add(key, by_process ? task->group_leader : NULL, amounts);
}

/* The call the thread is in, by x86-64's numbers: a page that a write adds is none that a read
 * missed. */
static __always_inline bool is_writing(void)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());

	switch (regs->orig_ax) {
	case 1:	  /* write */
	case 18:  /* pwrite64 */
	case 20:  /* writev */
	case 285: /* fallocate */
	case 296: /* pwritev */
	case 328: /* pwritev2 */
		return true;
	default:
		return false;
	}
}

static __always_inline void pages_asked(struct address_space *mapping, u64 first, u64 count)
{
	add_use(WICK_CACHE_ASKED, count);
}

static __always_inline void pages_added(struct folio *folio, u64 count)
{
	add_use(is_writing() ? WICK_CACHE_ADDED_BY_WRITE : WICK_CACHE_ADDED, count);
}

#include "bpf/lib/cache.bpf.h"

SEC("wick_tp/writeback_dirty_folio")
int BPF_PROG(on_dirty, struct folio *folio)
{
	add_use(WICK_CACHE_DIRTIED, folio_pages(folio));
	return 0;
}
