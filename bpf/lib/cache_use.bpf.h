/* SPDX-License-Identifier: GPL-2.0 */
/* Who uses the page cache, in the amounts of bpf/abi/cache.h: of cachestat and cachetop, which
 * differ in whose row it is. */
#pragma once

#include "bpf/abi/cache.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/arch/syscalls.bpf.h"
#include "bpf/lib/table.bpf.h"

static __always_inline void page_used(u64 age_ns)
{
}

#include "bpf/lib/pages_ahead.bpf.h"

/* cachetop; else everything is one row. */
const volatile bool by_process = false;

/* False: not of those that are looked at. */
static __always_inline bool add_use(u32 what, u64 pages)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_table_amounts amounts = {};
	struct wick_table_key key = {};

	if (!current_task_passes(task))
		return false;
	amounts.amount[what] = pages;
	if (by_process) {
		key.first = current_ids(task).tgid;
		key.second = (u32)bpf_get_current_uid_gid();
	}
	table_add(key, by_process ? task->group_leader : NULL, amounts);
	return true;
}

/* A page that a write adds is none that a read missed. */
static __always_inline bool is_writing(void)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	long call = SYSTEM_CALL_NUMBER(regs);

	return is_write_call(call) || call == CALL_FALLOCATE;
}

static __always_inline void pages_added(struct folio *folio, u64 count)
{
	u64 first = BPF_CORE_READ(folio, index);

	if (is_writing())
		add_use(WICK_CACHE_ADDED_BY_WRITE, count);
	else if (add_use(WICK_CACHE_ADDED, count))
		visit_pages(BPF_CORE_READ(folio, mapping), first, first + count, BROUGHT);
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

struct asked_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct asked_pages);
};
struct asked_map asked_before SEC(".maps");

static __always_inline struct asked_pages *asked_last(struct asked_map *map)
{
	struct asked_pages *asked = bpf_task_storage_get(map, bpf_get_current_task_btf(), NULL,
							 BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!asked)
		__sync_fetch_and_add(&starts_lost, 1);
	return asked;
}

/* How many of these the thread had not asked for already; remembers them. */
static __always_inline u64 newly_asked(struct asked_pages asked)
{
	struct asked_pages *before = asked_last(&asked_before);
	u64 count = asked.end - asked.first;

	if (!before || before->mapping != asked.mapping || before->reads != asked.reads) {
		/* Something else. */
	} else if (asked.reads != ASKED_BY_FAULT) {
		/* The steps of a read end all at one page; each begins behind the one before. */
		if (asked.end == before->end && asked.first > before->first)
			count = 0;
	} else if (asked.first >= before->first && asked.end <= before->end) {
		return 0;
	} else if (before->first >= asked.first && before->end <= asked.end) {
		count -= before->end - before->first;
	}
	if (before)
		*before = asked;
	return count;
}

/* Pages that are asked for the first time since they were added are no hits. A read is counted when
 * it begins; what it adds is found to be new at its next step. */
static __always_inline void ask(struct address_space *mapping, u64 first, u64 end, u64 newly)
{
	u64 new_pages = visit_pages(mapping, first, end, USED);

	if (newly)
		add_use(WICK_CACHE_ASKED, newly);
	if (new_pages)
		add_use(WICK_CACHE_FIRST, new_pages);
}

static __always_inline void pages_read(struct address_space *mapping, u64 first, u64 end)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct asked_pages asked = {.mapping = (u64)mapping, .first = first, .end = end};

	if (bpf_core_field_exists(task->ioac.syscr))
		asked.reads = task->ioac.syscr;
	ask(mapping, first, end, newly_asked(asked));
}

static __always_inline void pages_faulted(struct address_space *mapping, u64 first, u64 end)
{
	ask(mapping, first, end,
	    newly_asked((struct asked_pages){(u64)mapping, first, end, ASKED_BY_FAULT}));
}

#include "bpf/lib/cache.bpf.h"

struct asked_map reading SEC(".maps");

/* The whole read at once, and when it is over what it added. */
WICK_ON_ENTRY(filemap_read, struct kiocb *iocb, struct iov_iter *to)
{
	struct address_space *mapping = BPF_CORE_READ(iocb, ki_filp, f_mapping);
	u64 position = BPF_CORE_READ(iocb, ki_pos), bytes = BPF_CORE_READ(to, count);
	u64 first = position >> WICK_PAGE_SHIFT, end;
	struct asked_pages *read = asked_last(&reading);

	end = end_of_pages(mapping, (position + bytes - 1) >> WICK_PAGE_SHIFT);
	if (!bytes || first >= end)
		end = first;
	if (read)
		*read = (struct asked_pages){(u64)mapping, first, end, 0};
	ask(mapping, first, end, end - first);
	return 0;
}

WICK_ON_EXIT(filemap_read)
{
	struct asked_pages *read =
	    bpf_task_storage_get(&reading, bpf_get_current_task_btf(), NULL, 0);

	if (read)
		ask((struct address_space *)read->mapping, read->first, read->end, 0);
	return 0;
}

SEC("wick_tp/writeback_dirty_folio")
int BPF_PROG(on_dirty, struct folio *folio)
{
	add_use(WICK_CACHE_DIRTIED, folio_pages(folio));
	return 0;
}
