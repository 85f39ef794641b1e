/* SPDX-License-Identifier: GPL-2.0 */
/* wick mutex: waits for locks. Those of user space are futexes: a lock that is free or taken
 * without a wait makes no system call and costs nothing here. glibc's protocol (0 free, 1 taken, 2
 * taken and waited for) tells more: who got it after a wait gives it back by FUTEX_WAKE, so that
 * call is the holder's unlock, and a wait that follows a wait without one is the same lock
 * operation. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/follow.bpf.h"
#include "bpf/lib/stacks.bpf.h"
#include "bpf/abi/locks.h"

u64 wait_losses[WICK_WAIT_LOSSES];
u32 last_lock_id;

/* Locks that were waited for, or, with --hold, held; user space sets the size (--locks). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct wick_lock_key);
	__type(value, struct wick_lock_stats);
} locks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, u32); /* TID */
	__type(value, struct wick_lock_thread);
} threads SEC(".maps");

/* A value of that size does not fit on the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wick_lock_thread);
} no_locks SEC(".maps");

#define SYS_FUTEX 202
#define FUTEX_COMMAND 127 /* without the flags: private, clock */
#define FUTEX_CONTENDED 2
#define GLIBC_OWNER 8 /* in pthread_mutex_t, from its futex */

enum futex_command {
	FUTEX_WAIT = 0,
	FUTEX_WAKE = 1,
	FUTEX_REQUEUE = 3,
	FUTEX_CMP_REQUEUE = 4,
	FUTEX_WAKE_OP = 5,
	FUTEX_LOCK_PI = 6,
	FUTEX_UNLOCK_PI = 7,
	FUTEX_WAIT_BITSET = 9,
	FUTEX_WAKE_BITSET = 10,
	FUTEX_WAIT_REQUEUE_PI = 11,
	FUTEX_LOCK_PI2 = 13,
};

static __always_inline void lose(enum wick_wait_loss cause)
{
	__sync_fetch_and_add(&wait_losses[cause], 1);
}

static __always_inline struct wick_lock_thread *locks_of(u32 tid)
{
	struct wick_lock_thread *thread = bpf_map_lookup_elem(&threads, &tid);
	u32 zero = 0;

	if (thread)
		return thread;
	thread = bpf_map_lookup_elem(&no_locks, &zero);
	if (!thread)
		return 0;
	if (bpf_map_update_elem(&threads, &tid, thread, BPF_NOEXIST)) {
		lose(WICK_WAIT_LOSS_THREADS);
		return 0;
	}
	return bpf_map_lookup_elem(&threads, &tid);
}

static __always_inline struct wick_lock_stats *stats_of(struct wick_lock_key *key, u32 flags)
{
	struct wick_lock_stats *stats = bpf_map_lookup_elem(&locks, key), first = {};

	if (stats)
		return stats;
	first.id = __sync_fetch_and_add(&last_lock_id, 1) + 1;
	first.flags = flags;
	if (bpf_map_update_elem(&locks, key, &first, BPF_NOEXIST) &&
	    !bpf_map_lookup_elem(&locks, key)) {
		lose(WICK_WAIT_LOSS_LOCKS);
		return 0;
	}
	return bpf_map_lookup_elem(&locks, key);
}

static __always_inline void keep_largest(u64 *largest, u64 value)
{
	/* Races lose a record now and then, which the next one makes good. */
	if (value > *(volatile u64 *)largest)
		*(volatile u64 *)largest = value;
}

static __always_inline struct wick_lock_hold *holding_of(struct wick_lock_thread *thread,
							 u64 address)
{
	return &thread->held[((address >> 3) ^ (address >> 7)) & (WICK_LOCK_HOLDS - 1)];
}

static __always_inline void begin_hold(struct wick_lock_thread *thread, u64 address, u64 now)
{
	struct wick_lock_hold *holding = holding_of(thread, address);

	holding->address = address;
	holding->since_ns = now;
	holding->again = 0;
}

static __always_inline void end_hold(struct wick_lock_thread *thread, struct wick_lock_key *key,
				     u64 now)
{
	struct wick_lock_hold *holding = holding_of(thread, key->address);
	struct wick_lock_stats *stats;
	u64 held_ns;

	if (holding->address != key->address)
		return;
	if (holding->again) {
		holding->again--;
		return;
	}
	holding->address = 0;
	held_ns = now - holding->since_ns;
	stats = stats_of(key, 0);
	if (!stats)
		return;
	__sync_fetch_and_add(&stats->holds, 1);
	__sync_fetch_and_add(&stats->hold_ns, held_ns);
	keep_largest(&stats->max_hold_ns, held_ns);
}

/* Adds an amount to a lock's counter of the current stack. */
static __always_inline void count_lock_stack(void *ctx, struct task_struct *task,
					     struct task_ids ids, u32 tag, u64 amount, u64 times)
{
	struct wick_stack_record *record =
	    take_stack(ctx, task, ids, SCRATCH_SCHED, true, saved_registers(task), tag);

	if (record)
		count_record(record, amount, times);
	else
		lose(WICK_WAIT_LOSS_STACK);
}

static __always_inline void begin_wait(struct task_ids ids, u32 tid, u64 address, u32 expects)
{
	struct wick_lock_key key = {.address = address, .tgid = ids.tgid};
	struct wick_lock_stats *stats =
	    stats_of(&key, expects == FUTEX_CONTENDED ? WICK_LOCK_THREE_STATES : 0);
	struct wick_lock_thread *thread = locks_of(tid);
	u64 now = bpf_ktime_get_ns();
	u32 owner = 0;

	if (!stats || !thread)
		return;
	thread->waits_for = address;
	thread->began_ns = now;
	thread->expects = expects;
	thread->tgid = ids.tgid;
	if (expects != FUTEX_CONTENDED || thread->contended != address)
		thread->waited_ns = 0;
	if (!__sync_fetch_and_add(&stats->waiting, 1))
		stats->blocked_ns = now;
	if (expects == FUTEX_CONTENDED &&
	    !bpf_probe_read_user(&owner, sizeof(owner), (void *)(address + GLIBC_OWNER)) && owner)
		stats->last_owner = owner;
}

/* A wait ended: `got` when the thread was woken, and did not give up. */
static __always_inline void end_wait(void *ctx, struct task_struct *task, struct task_ids ids,
				     struct wick_lock_thread *thread, bool got)
{
	struct wick_lock_key key = {.address = thread->waits_for, .tgid = ids.tgid};
	struct wick_lock_stats *stats = bpf_map_lookup_elem(&locks, &key);
	u64 now = bpf_ktime_get_ns(), wait_ns = now - thread->began_ns;
	bool same = thread->waited_ns != 0;

	thread->waits_for = 0;
	if (!stats)
		return;
	__sync_fetch_and_add(&stats->waiting, -1);
	thread->waited_ns += wait_ns;
	thread->contended = key.address;
	__sync_fetch_and_add(&stats->wait_ns, wait_ns);
	__sync_fetch_and_add(&stats->waits, same ? 0 : 1);
	keep_largest(&stats->max_wait_ns, thread->waited_ns);
	count_lock_stack(ctx, task, ids, stats->id, wait_ns, same ? 0 : 1);
	if (got && thread->expects == FUTEX_CONTENDED)
		begin_hold(thread, key.address, now);
	if (thread->condition && thread->expects != FUTEX_CONTENDED) {
		/* Woken; its mutex is had again from here, or after one more wait, for it. */
		begin_hold(thread, thread->condition, now);
		thread->condition = 0;
	}
}

/* Somebody is woken: of a plain lock it is its holder that gives it back. */
static __always_inline void on_wake(void *ctx, struct task_struct *task, struct task_ids ids,
				    u32 tid, u64 address)
{
	struct wick_lock_key key = {.address = address, .tgid = ids.tgid};
	struct wick_lock_stats *stats = bpf_map_lookup_elem(&locks, &key);
	struct wick_lock_thread *thread = bpf_map_lookup_elem(&threads, &tid);
	u64 now = bpf_ktime_get_ns();

	if (thread) {
		end_hold(thread, &key, now);
		if (thread->contended == address)
			thread->contended = 0;
	}
	if (!stats || !stats->waiting)
		return;
	count_lock_stack(ctx, task, ids, stats->id | WICK_LOCK_HOLDER, now - stats->blocked_ns, 1);
	stats->blocked_ns = now;
}

SEC("raw_tp/sys_enter")
int BPF_PROG(on_syscall, struct pt_regs *regs, long number)
{
	struct task_struct *task;
	struct task_ids ids;
	u32 tid, expects;
	u64 args[3] = {}; /* dx, si, di: as they lie in pt_regs */

	if (number != SYS_FUTEX)
		return 0;
	task = bpf_get_current_task_btf();
	ids = current_ids(task);
	if (!task_passes(task, ids))
		return 0;
	bpf_probe_read_kernel(args, sizeof(args), &regs->dx);
	tid = (u32)bpf_get_current_pid_tgid();
	expects = args[0];
	switch (args[1] & FUTEX_COMMAND) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
		begin_wait(ids, tid, args[2], expects);
		break;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		begin_wait(ids, tid, args[2], FUTEX_CONTENDED);
		break;
	case FUTEX_WAKE:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_WAKE_OP:
	case FUTEX_UNLOCK_PI:
	case FUTEX_WAKE_BITSET:
		on_wake(ctx, task, ids, tid, args[2]);
		break;
	}
	return 0;
}

SEC("raw_tp/sys_exit")
int BPF_PROG(on_syscall_end, struct pt_regs *regs, long result)
{
	struct wick_lock_thread *thread;
	struct task_struct *task;
	u64 number = 0;
	u32 tid;

	bpf_probe_read_kernel(&number, sizeof(number), &regs->orig_ax);
	if (number != SYS_FUTEX)
		return 0;
	tid = (u32)bpf_get_current_pid_tgid();
	thread = bpf_map_lookup_elem(&threads, &tid);
	if (!thread || !thread->waits_for)
		return 0;
	task = bpf_get_current_task_btf();
	end_wait(ctx, task, current_ids(task), thread, !result);
	return 0;
}

/* --hold: locks that nobody waits for are seen by uprobes alone. */
#define GLIBC_KIND 16
#define GLIBC_KIND_RECURSIVE 1
#define GLIBC_KIND_TYPE 3

SEC("uprobe")
int on_lock(struct pt_regs *ctx)
{
	struct wick_lock_thread *thread = locks_of((u32)bpf_get_current_pid_tgid());
	u64 address = ctx->di;
	struct wick_lock_hold *holding;
	u32 kind = 0;

	if (!thread)
		return 0;
	holding = holding_of(thread, address);
	if (holding->address != address) {
		begin_hold(thread, address, bpf_ktime_get_ns());
		return 0;
	}
	if (bpf_probe_read_user(&kind, sizeof(kind), (void *)(address + GLIBC_KIND)) ||
	    (kind & GLIBC_KIND_TYPE) != GLIBC_KIND_RECURSIVE)
		begin_hold(thread, address, bpf_ktime_get_ns());
	else
		holding->again++;
	return 0;
}

static __always_inline int give_back(u64 address)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct wick_lock_thread *thread = bpf_map_lookup_elem(&threads, &tid);
	struct wick_lock_key key = {.address = address};

	if (!thread)
		return 0;
	key.tgid = current_ids(bpf_get_current_task_btf()).tgid;
	end_hold(thread, &key, bpf_ktime_get_ns());
	return 0;
}

SEC("uprobe")
int on_unlock(struct pt_regs *ctx)
{
	return give_back(ctx->di);
}

SEC("uprobe")
int on_condition(struct pt_regs *ctx)
{
	struct wick_lock_thread *thread = locks_of((u32)bpf_get_current_pid_tgid());

	give_back(ctx->si);
	if (thread)
		thread->condition = ctx->si;
	return 0;
}

SEC("raw_tp/sched_process_exit")
int BPF_PROG(on_thread_exit, struct task_struct *task)
{
	u32 tid = BPF_CORE_READ(task, pid);

	bpf_map_delete_elem(&threads, &tid);
	return 0;
}

/* -K: the kernel's own locks, as it tells of them itself. */
struct kernel_wait {
	u64 began_ns;
	u32 flags;
	u32 pad;
};
struct kernel_wait_key {
	u64 address;
	u32 tid; /* CPU's number and a bit above for what has no thread: idle, interrupts of it */
	u32 pad;
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct kernel_wait_key);
	__type(value, struct kernel_wait);
} kernel_waits SEC(".maps");

/* A contended lock may be one of an interrupt that came while a stack was walked. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} walking SEC(".maps");

static __always_inline struct kernel_wait_key kernel_wait_of(void *lock)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();

	return (struct kernel_wait_key){.address = (u64)lock,
					.tid = tid ? tid : bpf_get_smp_processor_id() | 1U << 31};
}

SEC("raw_tp/contention_begin")
int BPF_PROG(on_kernel_wait, void *lock, u32 flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_wait_key key = kernel_wait_of(lock);
	struct kernel_wait wait = {.began_ns = bpf_ktime_get_ns(), .flags = flags};

	if (!task_passes(task, current_ids(task)))
		return 0;
	if (bpf_map_update_elem(&kernel_waits, &key, &wait, BPF_ANY))
		lose(WICK_WAIT_LOSS_THREADS);
	return 0;
}

SEC("raw_tp/contention_end")
int BPF_PROG(on_kernel_got, void *lock, int result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_wait_key key = kernel_wait_of(lock);
	struct kernel_wait *wait = bpf_map_lookup_elem(&kernel_waits, &key);
	struct wick_lock_key lock_key = {.address = (u64)lock};
	struct wick_lock_stats *stats;
	u64 wait_ns, *busy;
	u32 zero = 0;

	if (!wait)
		return 0;
	wait_ns = bpf_ktime_get_ns() - wait->began_ns;
	stats = stats_of(&lock_key, wait->flags);
	bpf_map_delete_elem(&kernel_waits, &key);
	busy = bpf_map_lookup_elem(&walking, &zero);
	if (!stats || !busy)
		return 0;
	__sync_fetch_and_add(&stats->waits, 1);
	__sync_fetch_and_add(&stats->wait_ns, wait_ns);
	keep_largest(&stats->max_wait_ns, wait_ns);
	if (__sync_val_compare_and_swap(busy, 0, 1)) {
		lose(WICK_WAIT_LOSS_STACK);
		return 0;
	}
	count_lock_stack(ctx, task, current_ids(task), stats->id, wait_ns, 1);
	*(volatile u64 *)busy = 0;
	return 0;
}
