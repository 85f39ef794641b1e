/* SPDX-License-Identifier: GPL-2.0 */
/* wick mutex: waits for locks. Those of user space are futexes: a lock that is free or taken
 * without a wait makes no system call and costs nothing here. glibc's protocol (0 free, 1 taken, 2
 * taken and waited for) tells more: who got it after a wait gives it back by FUTEX_WAKE, so that
 * call is the holder's unlock, and a wait that follows a wait without one is the same lock
 * operation. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/arch/arguments.bpf.h"
#include "bpf/lib/follow.bpf.h"
#include "bpf/lib/stacks.bpf.h"
#include "bpf/lib/glibc_mutex.bpf.h"
#include "bpf/lib/lock_stats.bpf.h"
#include "bpf/lib/present_waits.bpf.h"
#include "bpf/lib/walking.bpf.h"
#include "bpf/abi/locks.h"

#define FUTEX_COMMAND 127 /* without the flags: private, clock */
#define FUTEX_CONTENDED 2
#define ETIMEDOUT 110

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

/* glibc's conditions may expect a 2 too, but by another command. */
static __always_inline void begin_futex_wait(struct task_ids ids, u32 tid, u64 address, u32 command,
					     u32 expects)
{
	struct wick_lock_key key = {.address = address, .tgid = ids.tgid};
	bool plain = expects == FUTEX_CONTENDED && command != FUTEX_WAIT_BITSET;
	u32 flags = plain ? WICK_LOCK_THREE_STATES : expects ? 0 : WICK_LOCK_WAITED_AT_ZERO;
	struct wick_lock_stats *stats = stats_of(&key, flags);
	struct wick_lock_thread *thread = locks_of(tid);
	u64 now = bpf_ktime_get_ns();
	struct glibc_mutex mutex = {};

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
	if (expects == FUTEX_CONTENDED && read_glibc_mutex(address, &mutex) && mutex.owner)
		stats->last_owner = mutex.owner;
}

/* A wait ended. Who did not give up goes on to the lock, or to its next wait. */
static __always_inline void end_wait(void *ctx, struct task_struct *task, struct task_ids ids,
				     struct wick_lock_thread *thread, bool goes_on)
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
	if (goes_on && thread->expects == FUTEX_CONTENDED)
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
	u32 tid, command, expects;
	u64 args[NUMBER_WORD] = {};

	if (number != CALL_FUTEX)
		return 0;
	task = bpf_get_current_task_btf();
	ids = current_ids(task);
	if (!task_passes(task, ids))
		return 0;
	bpf_probe_read_kernel(args, sizeof(args), SYSTEM_CALL_WORDS(regs));
	tid = (u32)bpf_get_current_pid_tgid();
	command = args[SECOND_WORD] & FUTEX_COMMAND;
	expects = args[THIRD_WORD];
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
		begin_futex_wait(ids, tid, args[FIRST_WORD], command, expects);
		break;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		begin_futex_wait(ids, tid, args[FIRST_WORD], command, FUTEX_CONTENDED);
		break;
	case FUTEX_WAKE:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_WAKE_OP:
	case FUTEX_UNLOCK_PI:
	case FUTEX_WAKE_BITSET:
		on_wake(ctx, task, ids, tid, args[FIRST_WORD]);
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

	bpf_probe_read_kernel(&number, sizeof(number), &SYSTEM_CALL_NUMBER(regs));
	if (number != CALL_FUTEX)
		return 0;
	tid = (u32)bpf_get_current_pid_tgid();
	thread = bpf_map_lookup_elem(&threads, &tid);
	if (!thread || !thread->waits_for)
		return 0;
	task = bpf_get_current_task_btf();
	end_wait(ctx, task, current_ids(task), thread, result != -ETIMEDOUT);
	return 0;
}

/* --hold: locks that nobody waits for are seen by uprobes alone. */
static __always_inline void take(u64 address)
{
	struct wick_lock_thread *thread = locks_of((u32)bpf_get_current_pid_tgid());
	struct wick_lock_hold *holding;

	if (!thread)
		return;
	holding = holding_of(thread, address);
	/* A try that fails is followed by no unlock, and the next one begins anew. */
	if (holding->address == address && is_recursive(address))
		holding->again++;
	else
		begin_hold(thread, address, bpf_ktime_get_ns());
}

static __always_inline void give_back(u64 address, bool waits)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct wick_lock_thread *thread = bpf_map_lookup_elem(&threads, &tid);
	struct wick_lock_key key = {.address = address};

	if (!thread)
		return;
	key.tgid = current_ids(bpf_get_current_task_btf()).tgid;
	end_hold(thread, &key, bpf_ktime_get_ns());
	if (waits)
		thread->condition = address;
}

SEC("uprobe")
int on_call(struct pt_regs *ctx)
{
	switch (bpf_get_attach_cookie(ctx)) {
	case WICK_CALL_LOCK:
		take(FIRST_ARGUMENT(ctx));
		break;
	case WICK_CALL_UNLOCK:
		give_back(FIRST_ARGUMENT(ctx), false);
		break;
	case WICK_CALL_WAIT:
		give_back(SECOND_ARGUMENT(ctx), true);
		break;
	}
	return 0;
}

SEC("raw_tp/sched_process_exit")
int BPF_PROG(on_thread_exit, struct task_struct *task)
{
	u32 tid = BPF_CORE_READ(task, pid);

	bpf_map_delete_elem(&threads, &tid);
	return 0;
}

/* Of a thread that waits, as far as we know: the number of its lock, and since when. */
static __always_inline u32 lock_waited_for(u32 tid, u32 tgid, u64 address, u64 *began_ns)
{
	struct wick_lock_thread *thread = bpf_map_lookup_elem(&threads, &tid);
	struct wick_lock_key key = {.address = address, .tgid = tgid};
	struct wick_lock_stats *stats;

	if (!address || !thread || thread->waits_for != address)
		return 0;
	*began_ns = thread->began_ns;
	stats = bpf_map_lookup_elem(&locks, &key);
	return stats ? stats->id : 0;
}

/* At the end: threads that still wait, with their stacks; of chosen processes all threads, as one
 * of them has what the others wait for. */
SEC("wick_iter.s/task")
int show_waits(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wick_present_thread *thread;
	struct task_ids ids;
	u64 began_ns = 0;
	u32 tag;

	if (!task)
		return 0;
	thread = describe_thread(task, &ids);
	if (!thread)
		return 0;
	tag = lock_waited_for(task->pid, ids.tgid, thread->address, &began_ns);
	/* Without a tag it is in no row; but what counts for nothing is not named. */
	if (tag || filter_by_tgid)
		show_thread(ctx, task, ids, thread, tag, tag ? bpf_ktime_get_ns() - began_ns : 1);
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
