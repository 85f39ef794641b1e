/* SPDX-License-Identifier: GPL-2.0 */
/* The stack a thread left the CPU with the last time. Most threads wait in the same place again and
 * again, and both walks are most of what a switch costs: 2 us of 2.5. So a thread keeps the words
 * the walks depended on, and as long as they are the same, so are its stacks:
 *
 *   user    registers, and every word the walk read (word_log.bpf.h)
 *   kernel  every word above the tracepoint that can be an address of code. The return addresses
 * are among them; each tells where the next one stands. What else is among them (words that earlier
 * calls left behind) shows itself: it changes and the stack does not, and it is struck off. The
 * kernel moves its stack a little for each system call (RANDOMIZE_KSTACK_OFFSET), so what is above
 * that gap is struck off too: the entry code alone, which is always the same.
 */
#pragma once

#include "bpf/lib/offcpu.bpf.h"
#include "bpf/lib/stacks.bpf.h"
#include "bpf/lib/word_log.bpf.h"

/* Code of the kernel and its modules is in the last 2 GB. */
#define KERNEL_CODE 0xffffffff80000000ULL

struct stack_cache {
	struct wick_stack_key key;
	bool known; /* user space has the record of `key` */
	bool valid; /* what follows is that of `key` */
	bool has_user;
	bool preempted;
	u32 to_mend; /* offcpu.bpf.h; 0 where it is valid */
	u64 ip, sp, bp;
	u64 address_space;
	u64 comm[2];
	struct word_log user;
	struct word_log kernel;
};

/* Two: a thread that waits here and there, or waits and is preempted. */
struct stack_caches {
	struct stack_cache of[2];
	u32 last; /* the one that was used last */
};

/* What stands on the stacks now. */
struct stack_words {
	struct words_from_base user;
	struct words_from_base kernel;
	/* Addresses: what is read back from here is a number, which the verifier lets one reckon
	 * with. */
	u64 here;
	u64 top;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack_words);
} stack_words SEC(".maps");

static __always_inline struct stack_words *words_now(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&stack_words, &zero);
}

/* From here to where user space was entered. The arguments of a tracepoint stand on the stack of
 * who hit it. */
static __always_inline void measure_kernel_stack(void *ctx, struct task_struct *task,
						 struct stack_words *words)
{
	*(volatile u64 *)&words->here = (u64)ctx;
	*(volatile u64 *)&words->top = (u64)bpf_task_pt_regs(task);
}

static __always_inline u64 kernel_stack_bytes(const struct stack_words *words)
{
	return *(volatile u64 *)&words->top - *(volatile u64 *)&words->here;
}

static __always_inline bool copy_words(u64 *to, u64 count, void *from)
{
	/* One less than there are: for the verifier's sake. */
	if (count >= WORD_LOG_SPAN)
		return false;
	return !bpf_probe_read_kernel(to, (count & (WORD_LOG_SPAN - 1)) * sizeof(u64), from);
}

static __always_inline bool is_same_task(const struct stack_cache *cache, struct task_struct *task)
{
	u64 comm[2] = {};

	bpf_get_current_comm(comm, sizeof(comm));
	return cache->comm[0] == comm[0] && cache->comm[1] == comm[1] &&
	       cache->address_space == (u64)BPF_CORE_READ(task, mm);
}

static __always_inline bool is_same_user_stack(const struct stack_cache *cache,
					       struct user_registers regs,
					       struct words_from_base *words)
{
	u32 bytes = cache->user.span * sizeof(u64);

	if (!cache->has_user)
		return true;
	if (cache->ip != regs.ip || cache->sp != regs.sp || cache->bp != regs.bp ||
	    bytes > WORD_LOG_SPAN * sizeof(u64))
		return false;
	return !bpf_probe_read_user(words, bytes, (void *)regs.sp) &&
	       is_as_logged(&cache->user, words);
}

static __always_inline bool has_registers(const struct stack_cache *cache,
					  struct user_registers regs, bool preempted)
{
	return cache->ip == regs.ip && cache->sp == regs.sp && cache->bp == regs.bp &&
	       cache->preempted == preempted;
}

/* The one that may be of this stack, else the one that can be spared. */
static __always_inline struct stack_cache *choose_cache(struct stack_caches *caches,
							struct user_registers regs, bool preempted)
{
	u32 last = !caches->last;

	if (has_registers(&caches->of[0], regs, preempted))
		last = 0;
	else if (has_registers(&caches->of[1], regs, preempted))
		last = 1;
	/* One pointer with an index, not one of two: else the verifier looks at all that follows
	 * twice. */
	*(volatile u32 *)&caches->last = last;
	return &caches->of[*(volatile u32 *)&caches->last & 1];
}

/* Whether the current task, at a tracepoint, is where it was when the cache was filled. */
static __always_inline bool is_same_stack(void *ctx, struct task_struct *task,
					  const struct stack_cache *cache,
					  struct user_registers regs)
{
	struct stack_words *words = words_now();

	if (!words || !cache->known || !cache->valid || !is_same_task(cache, task))
		return false;
	if (want_kernel && (!copy_words(words->kernel.word, cache->kernel.span, ctx) ||
			    !is_as_logged(&cache->kernel, &words->kernel)))
		return false;
	return is_same_user_stack(cache, regs, &words->user);
}

struct kernel_log {
	struct word_log *log;
	const u64 *words;
};

static long log_kernel_word(u32 index, void *context)
{
	struct kernel_log *fill = context;
	u64 word = fill->words[index & (WORD_LOG_SPAN - 1)];

	if (word >= KERNEL_CODE)
		log_word(fill->log, index, word);
	return 0;
}

static long keep_if_same(u32 index, void *context)
{
	struct kernel_log *fill = context;
	u64 word = fill->log->value[index & (WORD_LOG_WORDS - 1)];
	u32 at = fill->log->at[index & (WORD_LOG_WORDS - 1)];

	/* Only ever to a place at or before the one it is read from. */
	if (fill->words[at & (WORD_LOG_SPAN - 1)] == word)
		log_word(fill->log, at, word);
	return 0;
}

/* Strikes off what is not as it was, though the stack is the same. */
static __always_inline void prune_log(struct word_log *log, const u64 *words)
{
	struct kernel_log fill = {.log = log, .words = words};
	u32 count = log->count;

	clear_log(log);
	bpf_loop(count & (2 * WORD_LOG_WORDS - 1), keep_if_same, &fill, 0);
}

/* Before the walk of the user stack, which is to log what it reads. */
static __always_inline struct user_registers begin_cache(struct stack_cache *cache,
							 struct user_registers regs)
{
	cache->valid = false;
	clear_log(&cache->user);
	regs.log = &cache->user;
	return regs;
}

/* False: more than can be kept. */
static __always_inline bool log_kernel_stack(void *ctx, struct task_struct *task,
					     struct word_log *log, struct stack_words *words,
					     bool same_stack)
{
	struct kernel_log fill = {.log = log, .words = words->kernel.word};

	measure_kernel_stack(ctx, task, words);
	if (!copy_words(words->kernel.word, kernel_stack_bytes(words) / sizeof(u64), ctx))
		return false;
	if (same_stack && log->count) {
		prune_log(log, words->kernel.word);
		return true;
	}
	clear_log(log);
	bpf_loop(kernel_stack_bytes(words) / sizeof(u64), log_kernel_word, &fill, 0);
	if (is_log_whole(log))
		return true;
	clear_log(log);
	return false;
}

/* After both walks: keeps what they depended on, if that can be told. `same_stack`: it is the one
 * the cache was filled with before. */
static __always_inline void fill_cache(void *ctx, struct task_struct *task,
				       struct stack_cache *cache,
				       const struct wick_stack_record *record, bool same_stack)
{
	struct stack_words *words = words_now();

	/* A walk without a table may go further the next time. */
	if (!words || record->missed || !is_log_whole(&cache->user) ||
	    (unwind_by_tables && (record->stop != WICK_STOP_ROOT || record->by_pointer)))
		return;
	if (want_kernel && !log_kernel_stack(ctx, task, &cache->kernel, words, same_stack))
		return;
	cache->has_user = record->user_depth != 0;
	cache->address_space = (u64)BPF_CORE_READ(task, mm);
	__builtin_memcpy(cache->comm, record->comm, sizeof(cache->comm));
	cache->valid = true;
}

/* As take_stack() and announce_stack(), of the current task at a tracepoint of the scheduler; from
 * the cache when it is where it was. Gives the cache that has the key; 0: no stack could be taken.
 */
static __always_inline struct stack_cache *take_cached_stack(void *ctx, struct task_struct *task,
							     struct task_ids ids,
							     struct stack_caches *caches,
							     bool preempted)
{
	struct user_registers regs = registers_of(task);
	struct stack_cache *cache = choose_cache(caches, regs, preempted);
	struct wick_stack_totals *sum = stack_totals();
	struct wick_stack_record *record;
	bool same;

	if (sum && is_same_stack(ctx, task, cache, regs)) {
		sum->samples++;
		return cache;
	}
	record = take_stack(ctx, task, ids, SCRATCH_SCHED, true, begin_cache(cache, regs), 0);
	if (!record)
		return 0;
	same = is_same_key(&cache->key, &record->key);
	if (!cache->known || !same) {
		cache->known = announce_stack(record);
		cache->key = record->key;
	}
	cache->ip = regs.ip;
	cache->sp = regs.sp;
	cache->bp = regs.bp;
	cache->preempted = preempted;
	cache->to_mend = to_mend(record);
	fill_cache(ctx, task, cache, record, same);
	return cache;
}
