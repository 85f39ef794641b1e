/* SPDX-License-Identifier: GPL-2.0 */
/* The locks each thread holds, for wick deadlock. A lock is its address, and how often one was made
 * anew there. */
#pragma once

#include "bpf/abi/locks.h"
#include "bpf/lib/glibc_mutex.bpf.h"

/* glibc's pthread_mutex_t tells who has it: what a thread no longer holds is dropped then, however
 * it was given back. */
const volatile bool owner_is_known = false;

u64 lock_losses[WICK_LOCK_LOSSES];
/* Some lock was destroyed or made anew: only then numbers are looked up. */
bool any_generation;

/* A power of two. bcc keeps 16. */
#define MAX_HELD 32
#define HELD_MASK (MAX_HELD - 1)

enum held_kind {
	HELD_MUTEX,
	HELD_RWLOCK,
};

struct held_lock {
	u64 address;
	struct wick_stack_key stack;
	u32 generation;
	u16 again; /* a recursive lock: times it was taken on top of the first */
	u16 kind;
};

struct held_locks {
	u32 count;
	u32 trying_kind;
	u64 trying; /* a try-lock on its way; 0: none */
	struct wick_stack_key trying_stack;
	struct wick_stack_key creating_stack; /* of its last pthread_create */
	struct held_lock locks[MAX_HELD];
};

/* By TID; user space sets the size (--threads). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct held_locks);
} held SEC(".maps");

/* A value of that size does not fit on the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct held_locks);
} holds_nothing SEC(".maps");

/* How often a lock was destroyed or initialised at an address. The least used fall out: their
 * locks are then taken for the first ones there. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, u64);
	__type(value, u32);
} generations SEC(".maps");

static __always_inline void lose(enum wick_lock_loss cause)
{
	__sync_fetch_and_add(&lock_losses[cause], 1);
}

static __always_inline u32 generation_of(u64 address)
{
	u32 *generation;

	if (!any_generation)
		return 0;
	generation = bpf_map_lookup_elem(&generations, &address);
	return generation ? *generation : 0;
}

/* Given back by another thread, destroyed and made anew, or never got: not ours any more. */
static __always_inline bool is_stale(const struct held_lock *lock, u32 own_tid)
{
	struct glibc_mutex mutex = {};

	if (!owner_is_known || lock->kind != HELD_MUTEX)
		return false;
	if (!read_glibc_mutex(lock->address, &mutex))
		return true;
	if (mutex.kind & GLIBC_KIND_ELISION)
		return false;
	return !mutex.lock || (mutex.owner && own_tid && mutex.owner != own_tid);
}

static __always_inline struct held_locks *held_by(u32 tid, bool make)
{
	struct held_locks *locks = bpf_map_lookup_elem(&held, &tid);
	u32 zero = 0;

	if (locks || !make)
		return locks;
	locks = bpf_map_lookup_elem(&holds_nothing, &zero);
	if (!locks)
		return 0;
	if (bpf_map_update_elem(&held, &tid, locks, BPF_NOEXIST)) {
		lose(WICK_LOCK_LOSS_THREADS);
		return 0;
	}
	return bpf_map_lookup_elem(&held, &tid);
}

struct held_search {
	struct held_locks *locks;
	u64 address;
	u32 found;
};

/* Loops are bpf_loop's: the verifier walks their body once, not once for every place. */
static long look_at_held(u32 index, void *context)
{
	struct held_search *search = context;

	if (index >= search->locks->count)
		return 1;
	if (search->locks->locks[index & HELD_MASK].address != search->address)
		return 0;
	search->found = index;
	return 1;
}

/* The place of a lock in the list, MAX_HELD when it is not there. */
static __always_inline u32 find_held(struct held_locks *locks, u64 address)
{
	struct held_search search = {.locks = locks, .address = address, .found = MAX_HELD};

	if (locks->count)
		bpf_loop(MAX_HELD, look_at_held, &search, 0);
	return search.found;
}

static __always_inline void drop_held(struct held_locks *locks, u32 at)
{
	u32 last = locks->count - 1;

	locks->locks[at & HELD_MASK] = locks->locks[last & HELD_MASK];
	locks->count = last;
}

static __always_inline void push_held(struct held_locks *locks, const struct held_lock *lock)
{
	if (locks->count >= MAX_HELD) {
		lose(WICK_LOCK_LOSS_HELD);
		return;
	}
	locks->locks[locks->count & HELD_MASK] = *lock;
	locks->count++;
}

/* A thread that takes a lock it has: a recursive one counts, any other refuses or hangs. */
static __always_inline void take_again(struct held_lock *lock)
{
	if (!owner_is_known || lock->kind != HELD_MUTEX || is_recursive(lock->address))
		lock->again++;
}
