/* SPDX-License-Identifier: GPL-2.0 */
/* The tables a walk goes by: the row of an address, in the table of its file. */
#pragma once

#include "bpf/abi/unwind.h"

/* Rows and indices of many files, 8 bytes a word. Each is as large as user space made it, and
 * written by mmap. */
struct unwind_segment {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE | BPF_F_INNER_MAP);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, WICK_UNWIND_SEGMENTS);
	__type(key, u32);
	__array(values, struct unwind_segment);
} unwind_segments SEC(".maps");

static __always_inline bool unwind_page(void *segment, u32 pages, u32 page, u32 *row)
{
	u32 word = pages + (page >> 1);
	u64 *two = bpf_map_lookup_elem(segment, &word);

	if (!two)
		return false;
	*row = page & 1 ? *two >> 32 : (u32)*two;
	return true;
}

/* The row for `pc` bytes from the table's base. False: the table is gone. */
static __always_inline bool find_unwind_row(const struct wick_unwind_mapping *mapping, u32 pc,
					    struct wick_unwind_row *out)
{
	u32 index = mapping->segment, low, high, left;
	void *segment = bpf_map_lookup_elem(&unwind_segments, &index);
	u64 *word;

	if (!segment || !unwind_page(segment, mapping->pages, pc >> WICK_UNWIND_PAGE_BITS, &low) ||
	    !unwind_page(segment, mapping->pages, (pc >> WICK_UNWIND_PAGE_BITS) + 1, &high))
		return false;
	/* The last row at or below pc, without a branch: one path for the verifier. At most a row
	 * a byte of the page: 2^8, and one. */
	left = high - low + 1;
	low += mapping->rows;
	WICK_ROLLED_LOOP
	for (int i = 0; i < 9; i++) {
		u32 half = left >> 1, middle = low + half;

		word = bpf_map_lookup_elem(segment, &middle);
		if (!word)
			return false;
		/* The pc is the low half of a row. */
		low += half & ~(u32)(((s64)pc - (s64)(u32)*word) >> 63);
		left -= half;
		if (left <= 1)
			break;
	}
	word = bpf_map_lookup_elem(segment, &low);
	if (!word)
		return false;
	__builtin_memcpy(out, word, sizeof(*out));
	return true;
}
