/* SPDX-License-Identifier: GPL-2.0 */
/* 64-bit hashes of frames and of a task's identity. The seed is random for each run: a process
 * cannot choose return addresses that make its stack pass for another's. */
#pragma once

#include "bpf/abi/stacks.h"

static __always_inline u64 hash_step(u64 hash, u64 word)
{
	hash = (hash ^ word) * WICK_HASH_ODD;
	return (hash << 27) | (hash >> 37);
}

static __always_inline u64 hash_finish(u64 hash)
{
	hash ^= hash >> 32;
	hash *= WICK_HASH_ODD;
	return hash ^ (hash >> 29);
}

struct hash_lanes {
	const u64 *words;
	u64 a, b, c, d;
};

/* At most so many words: what `words` points to has that much room. */
#define WICK_HASH_WORDS 1024

static long hash_four(u32 index, void *context)
{
	struct hash_lanes *lanes = context;
	u32 at = index * 4;

	if (at > WICK_HASH_WORDS - 4)
		return 1;
	lanes->a = hash_step(lanes->a, lanes->words[at]);
	lanes->b = hash_step(lanes->b, lanes->words[at + 1]);
	lanes->c = hash_step(lanes->c, lanes->words[at + 2]);
	lanes->d = hash_step(lanes->d, lanes->words[at + 3]);
	return 0;
}

/* Four lanes, because a multiplication takes three cycles and the CPU can have four on the way.
 * Words from `count` up to the next multiple of four must be zero; `count` is in the seed, so
 * padding never makes two stacks equal. bpf_loop, because the verifier walks its body once: a plain
 * loop made the program take 5 ms longer to load. */
static __always_inline u64 hash_words(const u64 *words, u32 count, u64 seed)
{
	struct hash_lanes lanes = {.words = words,
				   .a = seed ^ count,
				   .b = seed + WICK_HASH_ODD,
				   .c = ~seed,
				   .d = seed - WICK_HASH_ODD};

	bpf_loop((count + 3) / 4, hash_four, &lanes, 0);
	return hash_finish(hash_step(hash_step(hash_step(lanes.a, lanes.b), lanes.c), lanes.d));
}
