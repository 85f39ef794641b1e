/* SPDX-License-Identifier: GPL-2.0 */
/* wick offwaketime: how long threads were off-CPU, by the stack they left it with and the stack
 * that woke them. wick wakeuptime: until they were woken, by the waker's stack alone.
 *
 *   sched_switch   prev leaves: its stack is announced, key and time go into its storage
 *   sched_waking   the waker's stack is announced, its key goes into the sleeper's storage
 *   sched_switch   next comes:  the pair of both keys gets the time
 */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/follow.bpf.h"
#include "bpf/lib/offcpu.bpf.h"
#include "bpf/lib/stack_cache.bpf.h"

/* wakeuptime: sleepers have no stack, and the time ends when they are woken. */
const volatile bool until_woken = false;

struct woken_thread {
	struct open_wait wait;
	struct wick_stack_key key;
	struct wick_stack_key waker; /* of this wait; 0: nobody yet */
	struct wick_stack_key pair;  /* the last one that user space was told of */
	struct wick_stack_key known; /* the last name that user space was told of */
	struct stack_caches caches;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct woken_thread);
} threads SEC(".maps");

static __always_inline bool take_target_name(struct task_struct *task, struct task_ids ids,
					     struct woken_thread *thread)
{
	struct wick_stack_record *record = take_name(task, ids);

	if (!record)
		return false;
	if (!is_same_key(&thread->known, &record->key) && announce_stack(record))
		thread->known = record->key;
	thread->key = record->key;
	return true;
}

static __always_inline bool take_target_stack(void *ctx, struct task_struct *task,
					      struct task_ids ids, struct woken_thread *thread,
					      bool preempted)
{
	struct stack_cache *cache = take_cached_stack(ctx, task, ids, &thread->caches, preempted);

	if (cache)
		thread->key = cache->key;
	return cache;
}

/* Written into the ring itself: the stack of the program has little room left. */
static __always_inline bool send_pair(const struct woken_thread *thread, struct wick_stack_key key)
{
	struct wick_pair_record *pair = bpf_ringbuf_reserve(&records, sizeof(*pair), 0);

	if (!pair)
		return false;
	pair->type = WICK_RECORD_PAIR;
	pair->pad = 0;
	pair->key = key;
	pair->target = thread->key;
	pair->waker = thread->waker;
	bpf_ringbuf_submit(pair, BPF_RB_NO_WAKEUP);
	return true;
}

/* One key for two; user space is told which. */
static __always_inline void count_pair(struct woken_thread *thread, u64 wait_ns)
{
	struct wick_stack_key target = thread->key, waker = thread->waker, key;

	if (!waker.task && !waker.stack) {
		count_key(&thread->key, wait_ns);
		return;
	}
	key.task = hash_finish(hash_step(target.task, waker.task));
	key.stack = hash_finish(hash_step(target.stack, waker.stack));
	if (!is_same_key(&thread->pair, &key) && !is_counted(&key) && send_pair(thread, key))
		thread->pair = key;
	count_key(&key, wait_ns);
}

static __always_inline void count_wait(struct woken_thread *thread, u64 now)
{
	u64 wait_ns = now - thread->wait.since_ns;

	thread->wait.since_ns = 0;
	if (within_bounds(wait_ns))
		count_pair(thread, wait_ns);
}

/* A thread that leaves for the second time. */
static __always_inline void end_earlier_wait(struct woken_thread *thread, struct task_struct *task,
					     u64 now)
{
	u64 ended = 0;

	/* When it was woken is told by no account. */
	if (until_woken)
		count_unseen_wait(&thread->wait, task, now);
	else
		ended = end_of_first_wait(&thread->wait, task, now);
	if (ended)
		count_wait(thread, ended);
}

static __always_inline void leave(void *ctx, struct task_struct *task, u32 state, u64 now)
{
	struct task_ids ids = current_ids(task);
	struct woken_thread *thread;

	/* Who wants to run is not woken, and who is being woken was not blocked. */
	if (until_woken && (!state || task->__state == TASK_WAKING))
		return;
	thread = waiting_thread(&threads, task, ids, state, now);
	if (!thread)
		return;
	if (thread->wait.since_ns)
		end_earlier_wait(thread, task, now);
	if (until_woken ? !take_target_name(task, ids, thread)
			: !take_target_stack(ctx, task, ids, thread, !state))
		return;
	thread->waker.task = 0;
	thread->waker.stack = 0;
	begin_wait(&thread->wait, task, now);
}

static __always_inline void end_wait(struct woken_thread *thread, struct task_struct *task, u64 now)
{
	if (ran_unseen(&thread->wait, task))
		count_unseen_wait(&thread->wait, task, now);
	else
		count_wait(thread, now);
}

static __always_inline void unfollowed_wakes(struct task_struct *task, u64 now)
{
	u64 since_ns = take_unfollowed(task);

	if (since_ns && since_ns < now)
		count_gap(task, SCRATCH_SCHED, WICK_GAP_STORAGE, now - since_ns);
}

SEC("wick_tp/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	u64 now = bpf_ktime_get_ns();
	struct woken_thread *thread;

	if (prev->pid)
		leave(ctx, prev, preempt ? 0 : prev_state, now);
	if (until_woken || !next->pid)
		return 0;
	thread = bpf_task_storage_get(&threads, next, 0, 0);
	if (thread && thread->wait.since_ns)
		end_wait(thread, next, now);
	else if (!thread)
		unfollowed_wakes(next, now);
	return 0;
}

/* Runs where the waker is: in its system call, or in an interrupt on top of somebody else. */
SEC("wick_tp/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct woken_thread *thread = bpf_task_storage_get(&threads, task, 0, 0);
	struct task_struct *waker = bpf_get_current_task_btf();
	struct wick_stack_record *record;

	if (!thread && until_woken)
		unfollowed_wakes(task, bpf_ktime_get_ns());
	if (!thread || !thread->wait.since_ns || thread->waker.task)
		return 0;
	record =
	    take_stack(ctx, waker, current_ids(waker), SCRATCH_SCHED, true, registers_of(waker), 0);
	if (!record)
		return 0;
	announce_stack(record);
	thread->waker = record->key;
	if (until_woken)
		end_wait(thread, task, bpf_ktime_get_ns());
	return 0;
}
