/* SPDX-License-Identifier: GPL-2.0 */
/* Pages that were brought into the page cache, until they are used or gone: visit_pages() tells
 * what happened to a range of a file. A tool defines
 *
 *   static __always_inline void page_used(u64 age_ns);
 *
 * and includes this behind it. */
#pragma once

/* Pages that wait to be used, 64 in a row to an entry: a bit for each, and when it came. */
#define CHUNK_SHIFT 6
#define CHUNK_PAGES (1 << CHUNK_SHIFT)
#define TICK_SHIFT 16 /* of `came`: 65 us, and 78 hours until it wraps */
struct ahead_key {
	u64 mapping;
	u64 chunk;
};
struct ahead_chunk {
	u64 waiting;
	u32 came[CHUNK_PAGES];
};
/* A million pages, 4 GB; what does not fit is starts_full. Most runs need little of it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct ahead_key);
	__type(value, struct ahead_chunk);
} ahead SEC(".maps");
static const struct ahead_chunk empty_chunk = {};

u64 pages_brought;
u64 pages_used;
u64 pages_dropped; /* before they were used */
u64 starts_lost;   /* no memory for what a thread reads ahead */
u64 starts_full;   /* no room for more pages that wait */

enum ahead_event { BROUGHT, USED, DROPPED };

struct ahead_walk {
	struct ahead_key key;
	u64 first;
	u64 end;
	u64 now;
	u64 visited;
	u64 bits; /* of the pages of the chunk at hand */
	struct ahead_chunk *chunk;
	u32 event;
};

static long visit_page(u32 page, struct ahead_walk *walk)
{
	u32 now = walk->now >> TICK_SHIFT;

	page &= CHUNK_PAGES - 1;
	if (!(walk->bits & 1ULL << page))
		return 0;
	walk->visited++;
	if (walk->event == BROUGHT) {
		walk->chunk->came[page] = now;
		__sync_fetch_and_add(&pages_brought, 1);
	} else if (walk->event == USED) {
		page_used((u64)(now - walk->chunk->came[page]) << TICK_SHIFT);
		__sync_fetch_and_add(&pages_used, 1);
	} else {
		__sync_fetch_and_add(&pages_dropped, 1);
	}
	return 0;
}

static long visit_chunk(u32 index, struct ahead_walk *walk)
{
	u64 start = ((walk->first >> CHUNK_SHIFT) + index) << CHUNK_SHIFT;
	u64 from = walk->first > start ? walk->first - start : 0;
	u64 count = walk->end - start < CHUNK_PAGES ? walk->end - start - from : CHUNK_PAGES - from;
	u64 bits = ~0ULL >> ((CHUNK_PAGES - count) & (CHUNK_PAGES - 1))
				<< (from & (CHUNK_PAGES - 1));

	walk->key.chunk = start >> CHUNK_SHIFT;
	walk->chunk = bpf_map_lookup_elem(&ahead, &walk->key);
	if (!walk->chunk && walk->event == BROUGHT) {
		bpf_map_update_elem(&ahead, &walk->key, &empty_chunk, BPF_NOEXIST);
		walk->chunk = bpf_map_lookup_elem(&ahead, &walk->key);
		if (!walk->chunk)
			__sync_fetch_and_add(&starts_full, count);
	}
	if (!walk->chunk)
		return 0;
	if (walk->event == BROUGHT)
		walk->bits = bits & ~walk->chunk->waiting;
	else
		walk->bits = bits & __sync_fetch_and_and(&walk->chunk->waiting, ~bits);
	if (walk->bits)
		bpf_loop(CHUNK_PAGES, visit_page, walk, 0);
	/* Last, so that whoever sees the bit sees the time too. */
	if (walk->event == BROUGHT)
		__sync_fetch_and_or(&walk->chunk->waiting, bits);
	else if (!walk->chunk->waiting)
		bpf_map_delete_elem(&ahead, &walk->key);
	return 0;
}

/* From `first` up to `end`, which is behind the last. Gives how many of them it is news of. */
static __always_inline u64 visit_pages(struct address_space *mapping, u64 first, u64 end, u32 event)
{
	u64 now = bpf_ktime_get_ns();
	/* `visited` begins with a number the verifier does not know: from 0 on it would follow
	 * every step of the loops. */
	struct ahead_walk walk = {.key = {.mapping = (u64)mapping},
				  .first = first,
				  .end = end,
				  .now = now,
				  .visited = now,
				  .event = event};

	if (first < end && (event == BROUGHT || pages_brought != pages_used + pages_dropped))
		bpf_loop(((end - 1) >> CHUNK_SHIFT) - (first >> CHUNK_SHIFT) + 1, visit_chunk,
			 &walk, 0);
	return walk.visited - now;
}
