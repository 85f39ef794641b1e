/* SPDX-License-Identifier: GPL-2.0 */
/* Words of a stack, and where they stood. A walk that finds every word it read the last time again
 * would come to the same end: then it need not be done. */
#pragma once

enum {
	WORD_LOG_WORDS = 64, /* a power of two, as is the next */
	WORD_LOG_SPAN = 256, /* words from the base on that can be told of: 2 KB of stack */
};

struct word_log {
	u32 count; /* above WORD_LOG_WORDS: there were more than can be told */
	u32 span;  /* words to be read to see all of them */
	u16 at[WORD_LOG_WORDS];
	u64 value[WORD_LOG_WORDS];
};

static __always_inline void clear_log(struct word_log *log)
{
	log->count = 0;
	log->span = 0;
}

/* `at`: in words from the base. */
static __always_inline void log_word(struct word_log *log, u64 at, u64 value)
{
	u32 count = log->count;

	if (count >= WORD_LOG_WORDS || at >= WORD_LOG_SPAN) {
		log->count = WORD_LOG_WORDS + 1;
		return;
	}
	log->at[WICK_WITHIN(count, WORD_LOG_WORDS)] = at;
	log->value[WICK_WITHIN(count, WORD_LOG_WORDS)] = value;
	log->count = count + 1;
	if (at >= log->span)
		log->span = at + 1;
}

static __always_inline void forget_log(struct word_log *log)
{
	log->count = WORD_LOG_WORDS + 1;
}

static __always_inline bool is_log_whole(const struct word_log *log)
{
	return log->count <= WORD_LOG_WORDS;
}

/* The words of a stack from the base of a log on. */
struct words_from_base {
	u64 word[WORD_LOG_SPAN];
};

/* Whether every word stands where it stood. */
WICK_ONCE int is_as_logged(const struct word_log *log, const struct words_from_base *now)
{
	u32 count;

	if (!log || !now)
		return 0;
	count = log->count;
	WICK_ROLLED_LOOP
	for (u32 i = 0; i < WORD_LOG_WORDS; i++) {
		if (i >= count)
			break;
		if (now->word[log->at[i] & (WORD_LOG_SPAN - 1)] != log->value[i])
			return 0;
	}
	return 1;
}
