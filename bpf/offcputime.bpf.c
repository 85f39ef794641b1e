/* SPDX-License-Identifier: GPL-2.0 */
/* wick offcputime: how long threads were off-CPU, by the stack they left it with. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/follow.bpf.h"
#include "bpf/lib/offcpu.bpf.h"
#include "bpf/lib/other_stacks.bpf.h"
#include "bpf/lib/stack_cache.bpf.h"

struct off_thread {
	struct open_wait wait;
	struct wick_stack_key key;
	struct stack_caches caches;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct off_thread);
} threads SEC(".maps");

static __always_inline void end_wait(struct off_thread *thread, u64 now)
{
	u64 wait_ns = now - thread->wait.since_ns;

	thread->wait.since_ns = 0;
	if (within_bounds(wait_ns))
		count_key(&thread->key, wait_ns);
}

static __always_inline void leave(void *ctx, struct task_struct *task, u32 state, u64 now)
{
	struct task_ids ids = current_ids(task);
	struct off_thread *thread;
	struct stack_cache *cache;
	u64 ended_before = 0;

	thread = waiting_thread(&threads, task, ids, state, now);
	if (!thread)
		return;
	if (thread->wait.since_ns)
		ended_before = end_of_first_wait(&thread->wait, task, now);
	if (ended_before)
		end_wait(thread, ended_before);
	cache = take_cached_stack(ctx, task, ids, &thread->caches, !state);
	if (!cache)
		return;
	thread->key = cache->key;
	thread->wait.to_mend = cache->to_mend;
	begin_wait(&thread->wait, task, now);
}

/* A thread without storage: it was off-CPU all the time that is missing. */
static __always_inline void unfollowed_comes(struct task_struct *task, u64 now)
{
	u64 since_ns = take_unfollowed(task);
	u32 cause = WICK_GAP_STORAGE;

	/* Chosen threads that wait are looked up one by one; this one did not wait for it. */
	if (!since_ns && from_the_start && !mending && other_task_passes(task, ids_of(task))) {
		since_ns = unmet_since(task, now);
		cause = WICK_GAP_START;
	}
	if (since_ns && since_ns < now)
		count_gap(task, SCRATCH_SCHED, cause, now - since_ns);
}

static __always_inline void come_back(struct task_struct *task, u64 now)
{
	struct off_thread *thread = bpf_task_storage_get(&threads, task, 0, 0);

	if (!thread) {
		if (any_unfollowed || from_the_start)
			unfollowed_comes(task, now);
		return;
	}
	if (!thread->wait.since_ns || thread->wait.since_ns > now)
		return;
	if (ran_unseen(&thread->wait, task))
		count_unseen_wait(&thread->wait, task, now);
	else
		end_wait(thread, now);
}

SEC("wick_tp/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	if (!ended_ns)
		both_sides_of_switch(ctx, prev, next, preempt ? 0 : prev_state);
	return 0;
}

/* Those that were off-CPU before we began: from armed_ns on they count. Run again when user space
 * has got more tables: who still waits has its stack mended. */
SEC("wick_iter.s/task")
int at_start(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wick_stack_record *record;
	struct off_thread *thread;
	struct task_ids ids;
	u64 since_ns;

	if (!task || !task->pid || task->on_cpu || task->exit_state || !is_kind_of_thread(task) ||
	    !is_state(task->__state))
		return 0;
	thread = thread_without_stack(&threads, task, &ids);
	if (!thread)
		return 0;
	since_ns = thread->wait.since_ns;
	record = take_other_stack(task, ids, 0, mending);
	if (!record || !announce_other(record, task))
		return 0;
	if (mending && (!is_mended(record, thread->wait.to_mend) ||
			!announce_mended(record, thread->key, record->key)))
		return 0;
	/* It may have come to a CPU meanwhile: then what happens there counts. */
	if (thread->wait.since_ns != since_ns)
		return 0;
	thread->key = record->key;
	/* Once mended there is no more to tell: all tables were there. */
	thread->wait.to_mend = mending ? 0 : to_mend(record);
	if (!mending)
		begin_wait_at_start(&thread->wait, task);
	return 0;
}

/* Those that are still off-CPU when it is over. Nothing else runs any more. */
SEC("wick_iter/task")
int at_end(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct off_thread *thread;
	u64 since_ns;

	if (!task || !task->pid || task->exit_state)
		return 0;
	thread = bpf_task_storage_get(&threads, task, 0, 0);
	if (!thread) {
		since_ns = take_unfollowed(task);
		if (since_ns && since_ns < ended_ns)
			count_gap(task, SCRATCH_OTHER, WICK_GAP_STORAGE, ended_ns - since_ns);
		return 0;
	}
	/* One may have been on its way when the end came. */
	if (thread->wait.since_ns && thread->wait.since_ns < ended_ns)
		end_wait(thread, ended_ns);
	return 0;
}
