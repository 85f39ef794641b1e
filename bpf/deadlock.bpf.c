/* SPDX-License-Identifier: GPL-2.0 */
/* wick deadlock: which lock a thread takes while it holds which. A list of what it holds per
 * thread; each pair that was not seen before goes to user space, with where both were taken. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/arch/arguments.bpf.h"
#include "bpf/lib/follow.bpf.h"
#include "bpf/lib/stacks.bpf.h"
#include "bpf/lib/held_locks.bpf.h"
#include "bpf/lib/present_waits.bpf.h"
#include "bpf/lib/walking.bpf.h"
#include "bpf/abi/locks.h"

/* Set when all probes stand, and taken back before the first goes: a lock whose unlock nobody sees
 * would be held for ever. */
u32 watching;

struct lock_pair {
	u64 from;
	u64 to;
	u32 from_generation;
	u32 to_generation;
};

/* Pairs user space knows of (--edges). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct lock_pair);
	__type(value, u8);
} pairs SEC(".maps");

/* The stack of a lock that is taken at one place over and over: a thread with the same return
 * address at the same stack pointer need not be walked again (--stacktraces). */
struct place {
	u64 address;
	u64 sp;
	u64 return_address;
	u32 tid;
	u32 pad;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct place);
	__type(value, struct wick_stack_key);
} places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 19);
} lock_events SEC(".maps");

static __always_inline struct wick_stack_key walk_stack(struct pt_regs *ctx)
{
	struct user_registers regs = {
	    .ip = ctx->ip, .sp = ctx->sp, .bp = ctx->bp, .is_64bit = true};
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_stack_key key = {};
	struct wick_stack_record *record;
	u32 zero = 0;
	u64 *busy = bpf_map_lookup_elem(&walking, &zero);

	if (!busy)
		return key;
	if (__sync_val_compare_and_swap(busy, 0, 1)) {
		lose(WICK_LOCK_LOSS_STACK);
		return key;
	}
	record = take_stack(ctx, task, current_ids(task), SCRATCH_PROBE, false, regs, 0);
	if (record) {
		count_record(record, 1, 1);
		key = record->key;
	}
	*(volatile u64 *)busy = 0;
	return key;
}

static __always_inline struct wick_stack_key lock_stack(struct pt_regs *ctx, u64 address, u32 tid)
{
	struct place place = {.address = address, .sp = ctx->sp, .tid = tid};
	struct wick_stack_key *known, key;

	/* The probe stands where nothing was pushed yet. */
	bpf_probe_read_user(&place.return_address, sizeof(place.return_address), (void *)ctx->sp);
	known = bpf_map_lookup_elem(&places, &place);
	if (known)
		return *known;
	key = walk_stack(ctx);
	if (key.stack)
		bpf_map_update_elem(&places, &place, &key, BPF_ANY);
	return key;
}

static __always_inline void send_edge(const struct held_lock *from, const struct held_lock *to)
{
	struct lock_pair pair = {.from = from->address,
				 .to = to->address,
				 .from_generation = from->generation,
				 .to_generation = to->generation};
	struct wick_lock_event *event;
	u8 yes = 1;

	if (bpf_map_lookup_elem(&pairs, &pair))
		return;
	event = bpf_ringbuf_reserve(&lock_events, sizeof(*event), 0);
	if (!event) {
		lose(WICK_LOCK_LOSS_RING);
		return;
	}
	if (bpf_map_update_elem(&pairs, &pair, &yes, BPF_NOEXIST)) {
		/* Another thread was first, or there is no room. */
		if (!bpf_map_lookup_elem(&pairs, &pair))
			lose(WICK_LOCK_LOSS_EDGES);
		bpf_ringbuf_discard(event, 0);
		return;
	}
	__builtin_memset(event, 0, sizeof(*event));
	event->kind = WICK_LOCK_EDGE;
	event->edge.from = pair.from;
	event->edge.to = pair.to;
	event->edge.from_generation = pair.from_generation;
	event->edge.to_generation = pair.to_generation;
	event->edge.from_stack = from->stack;
	event->edge.to_stack = to->stack;
	event->edge.tid = current_ids(bpf_get_current_task_btf()).tid;
	bpf_get_current_comm(event->edge.comm, sizeof(event->edge.comm));
	bpf_ringbuf_submit(event, 0);
}

struct edge_walk {
	struct held_locks *locks;
	const struct held_lock *to;
	u32 own_tid;
	u32 at;
};

static long send_next_edge(u32 index, void *context)
{
	struct edge_walk *walk = context;
	struct held_lock *from = &walk->locks->locks[walk->at & HELD_MASK];

	if (walk->at >= walk->locks->count)
		return 1;
	if (is_stale(from, walk->own_tid)) {
		drop_held(walk->locks, walk->at);
		return 0;
	}
	send_edge(from, walk->to);
	walk->at++;
	return 0;
}

static __always_inline void send_edges(struct held_locks *locks, const struct held_lock *to)
{
	struct edge_walk walk = {.locks = locks, .to = to};

	if (owner_is_known)
		walk.own_tid = innermost_upid(bpf_get_current_task_btf()).nr;
	bpf_loop(MAX_HELD, send_next_edge, &walk, 0);
}

/* What the function at the probe does, by its cookie. One place takes the stack: each takes the
 * verifier 40 ms. A try-lock does not wait, so it hangs nobody: what it got is held, but there is
 * no pair. So it is with those that give up after a time. */
static __always_inline void begin_call(struct pt_regs *ctx, u64 what, u64 address)
{
	bool tries = what == WICK_CALL_TRY || what == WICK_CALL_RWLOCK_TRY;
	bool takes = !tries && what != WICK_CALL_CREATE;
	u32 tid = (u32)bpf_get_current_pid_tgid(), at;
	struct held_locks *locks = held_by(tid, true);
	struct held_lock lock = {.address = address};

	if (!locks)
		return;
	if (what == WICK_CALL_RWLOCK || what == WICK_CALL_RWLOCK_TRY)
		lock.kind = HELD_RWLOCK;
	at = takes ? find_held(locks, address) : MAX_HELD;
	if (at < MAX_HELD) {
		take_again(&locks->locks[at & HELD_MASK]);
		return;
	}
	lock.stack = lock_stack(ctx, address, tid);
	if (what == WICK_CALL_CREATE)
		locks->creating_stack = lock.stack;
	if (tries) {
		locks->trying = address;
		locks->trying_kind = lock.kind;
		locks->trying_stack = lock.stack;
	}
	if (!takes)
		return;
	lock.generation = generation_of(address);
	if (locks->count)
		send_edges(locks, &lock);
	push_held(locks, &lock);
}

static __always_inline void give_back(u64 address)
{
	u32 tid = (u32)bpf_get_current_pid_tgid(), at;
	struct held_locks *locks = held_by(tid, false);

	if (!locks)
		return;
	at = find_held(locks, address);
	if (at >= MAX_HELD)
		return;
	if (locks->locks[at & HELD_MASK].again)
		locks->locks[at & HELD_MASK].again--;
	else
		drop_held(locks, at);
}

/* pthread_mutex_init, _destroy: another lock from now on. */
static __always_inline void renew(u64 address)
{
	u32 *generation = bpf_map_lookup_elem(&generations, &address), first = 1;

	if (generation)
		__sync_fetch_and_add(generation, 1);
	else
		bpf_map_update_elem(&generations, &address, &first, BPF_ANY);
	any_generation = true;
}

/* One program for all functions: taking many away one by one waits for the kernel each time. */
SEC("uprobe")
int on_call(struct pt_regs *ctx)
{
	u64 what = bpf_get_attach_cookie(ctx);
	u64 address = FIRST_ARGUMENT(ctx);

	if (!watching)
		return 0;
	switch (what) {
	case WICK_CALL_UNLOCK:
		give_back(address);
		return 0;
	case WICK_CALL_RENEW:
		renew(address);
		return 0;
	case WICK_CALL_WAIT:
		/* pthread_cond_wait(condition, mutex): gives the mutex back and takes it again,
		 * while the thread holds all its others. */
		address = SECOND_ARGUMENT(ctx);
		give_back(address);
		break;
	}
	begin_call(ctx, what, address);
	return 0;
}

SEC("uretprobe")
int on_return(struct pt_regs *ctx)
{
	u32 tid = (u32)bpf_get_current_pid_tgid(), at;
	struct held_locks *locks = held_by(tid, false);
	struct held_lock lock = {};

	if (!locks || !locks->trying)
		return 0;
	lock.address = locks->trying;
	lock.kind = locks->trying_kind;
	lock.stack = locks->trying_stack;
	locks->trying = 0;
	if ((u32)RESULT_OF(ctx))
		return 0;
	at = find_held(locks, lock.address);
	if (at < MAX_HELD) {
		locks->locks[at & HELD_MASK].again++;
		return 0;
	}
	lock.generation = generation_of(lock.address);
	push_held(locks, &lock);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int BPF_PROG(on_thread_exit, struct task_struct *task)
{
	u32 tid = BPF_CORE_READ(task, pid);

	bpf_map_delete_elem(&held, &tid);
	return 0;
}

/* A thread of ours starts another: pthread_create told where. */
SEC("raw_tp/sched_process_fork")
int BPF_PROG(on_thread_start, struct task_struct *parent, struct task_struct *child)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_ids ids = current_ids(task);
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct wick_lock_event *event;
	struct held_locks *locks;

	if (BPF_CORE_READ(child, tgid) != BPF_CORE_READ(parent, tgid) || !task_passes(task, ids))
		return 0;
	locks = held_by(tid, false);
	if (!locks || !locks->creating_stack.stack)
		return 0;
	event = bpf_ringbuf_reserve(&lock_events, sizeof(*event), 0);
	if (!event) {
		lose(WICK_LOCK_LOSS_RING);
		return 0;
	}
	__builtin_memset(event, 0, sizeof(*event));
	event->kind = WICK_LOCK_THREAD;
	event->thread.tid =
	    caller_pidns ? visible_nr(BPF_CORE_READ(child, thread_pid)) : BPF_CORE_READ(child, pid);
	event->thread.parent_tid = ids.tid;
	event->thread.stack = locks->creating_stack;
	bpf_get_current_comm(event->thread.parent_comm, sizeof(event->thread.parent_comm));
	bpf_ringbuf_submit(event, 0);
	return 0;
}

/* The threads of the process, and what they wait for. */
SEC("wick_iter.s/task")
int show_waits(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_ids ids;
	struct wick_present_thread *thread = task ? describe_thread(task, &ids) : NULL;

	if (thread)
		show_thread(ctx, task, ids, thread, 0, 1);
	return 0;
}
