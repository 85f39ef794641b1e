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

static __always_inline void pages_added(struct folio *folio, u64 count)
{
	add_use(is_writing() ? WICK_CACHE_ADDED_BY_WRITE : WICK_CACHE_ADDED, count);
}

/* What the thread asked for last: the steps of a read, and a fault that is taken again, count once.
 */
struct asked_pages {
	u64 mapping;
	u64 first;
	u64 end;
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

/* Whether the thread already asked for these; remembers them if not. */
static __always_inline bool asked_again(struct asked_pages asked)
{
	struct asked_pages *before = bpf_task_storage_get(&asked_before, bpf_get_current_task_btf(),
							  NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	bool again;

	if (!before) {
		__sync_fetch_and_add(&starts_lost, 1);
		return false;
	}
	again = before->mapping == asked.mapping && before->reads == asked.reads &&
		asked.first >= before->first && asked.end <= before->end;
	/* The steps of a read end all at the same page; each begins behind the one before. */
	if (asked.reads != ASKED_BY_FAULT)
		again = again && asked.end == before->end && asked.first > before->first;
	if (!again)
		*before = asked;
	else if (asked.reads != ASKED_BY_FAULT)
		before->first = asked.first;
	return again;
}

static __always_inline void pages_read(struct address_space *mapping, u64 first, u64 end)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct asked_pages asked = {.mapping = (u64)mapping, .first = first, .end = end};

	if (bpf_core_field_exists(task->ioac.syscr))
		asked.reads = task->ioac.syscr;
	if (!asked_again(asked))
		add_use(WICK_CACHE_ASKED, end - first);
}

static __always_inline void pages_faulted(struct address_space *mapping, u64 first, u64 end)
{
	if (!asked_again((struct asked_pages){(u64)mapping, first, end, ASKED_BY_FAULT}))
		add_use(WICK_CACHE_ASKED, end - first);
}

#include "bpf/lib/cache.bpf.h"

/* The whole read at once. */
WICK_ON_ENTRY(filemap_read, struct kiocb *iocb, struct iov_iter *to)
{
	struct address_space *mapping = BPF_CORE_READ(iocb, ki_filp, f_mapping);
	u64 position = BPF_CORE_READ(iocb, ki_pos), bytes = BPF_CORE_READ(to, count);
	u64 first = position >> WICK_PAGE_SHIFT, end;

	end = end_of_pages(mapping, (position + bytes - 1) >> WICK_PAGE_SHIFT);
	if (bytes && first < end)
		add_use(WICK_CACHE_ASKED, end - first);
	return 0;
}

SEC("wick_tp/writeback_dirty_folio")
int BPF_PROG(on_dirty, struct folio *folio)
{
	add_use(WICK_CACHE_DIRTIED, folio_pages(folio));
	return 0;
}
