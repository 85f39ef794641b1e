/* SPDX-License-Identifier: GPL-2.0 */
/* wick wall: all of the time of the chosen threads, on a CPU and off it, by stack. */
#define WICK_WALK_ONCE
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/follow.bpf.h"
#include "bpf/lib/wall.bpf.h"

/* Its time on the CPU until now: to the last sample, or, without one, to the stack it leaves with.
 */
static __noinline int end_of_run(struct wall_thread *thread, struct wick_stack_record *record,
				 u64 now)
{
	u64 amount = now - thread->wait.since_ns;

	if (thread->doing != WICK_WALL_ON_CPU || !thread->wait.since_ns || !amount)
		return 0;
	if (thread->sampled.task) {
		count_key(&thread->sampled, amount);
		return 0;
	}
	announce_as(thread, record, WICK_WALL_ON_CPU);
	count_as(thread, WICK_WALL_ON_CPU, amount);
	return 0;
}

/* Counts the time since the last look as a gap. */
static __always_inline void lose_time(struct wall_thread *thread, struct task_struct *task,
				      u32 cause, u64 now)
{
	u64 since_ns = thread->wait.since_ns;

	thread->wait.since_ns = now;
	if (since_ns < now)
		count_gap(task, SCRATCH_SCHED, cause, now - since_ns);
}

/* It came, and nobody was told; the kernel's account tells when. */
static __always_inline void make_up_coming(struct wall_thread *thread, struct task_struct *task,
					   u64 now)
{
	u64 all_ns = now - thread->wait.since_ns;
	u64 ran_ns = ran_since(&thread->wait, task, all_ns);

	__sync_fetch_and_add(&switches_made_up, 1);
	count_off_cpu(thread, task, all_ns - ran_ns);
	thread->wait.since_ns = now - ran_ns;
}

/* Who leaves has come to the CPU and has not left since; otherwise what it did is not known. */
static __noinline int expect_on_cpu(struct wall_thread *thread, struct task_struct *task, u64 now)
{
	const struct open_wait *wait = &thread->wait;
	u64 since_ns;

	if (wait->since_ns && thread->doing == WICK_WALL_ON_CPU &&
	    (!wait->switches || wait->switches + 1 == switches_of(task)))
		return 0;
	since_ns = take_unfollowed(task);
	if (!wait->since_ns && !since_ns) {
		/* It has not switched yet. */
		thread->wait.since_ns = unmet_since(task, now);
	} else if (wait->since_ns && thread->doing != WICK_WALL_ON_CPU && came_unseen(wait, task)) {
		make_up_coming(thread, task, now);
	} else {
		if (!wait->since_ns)
			thread->wait.since_ns = since_ns;
		lose_time(thread, task, since_ns ? WICK_GAP_STORAGE : WICK_GAP_SWITCH, now);
	}
	thread->doing = WICK_WALL_ON_CPU;
	thread->sampled.task = 0;
	return 0;
}

static __always_inline void leave(void *ctx, struct task_struct *task, u32 state, u64 now)
{
	struct task_ids ids = current_ids(task);
	struct wick_stack_record *record;
	struct wall_thread *thread;

	if (!is_kind_of_thread(task) || !task_passes(task, ids))
		return;
	thread = followed_thread(&threads, task, now);
	if (!thread)
		return;
	expect_on_cpu(thread, task, now);
	record = take_stack(ctx, task, ids, SCRATCH_SCHED, true, registers_of(task), 0);
	if (!record)
		return;
	remember_stack(thread, record);
	end_of_run(thread, record, now);
	if (state & TASK_DEAD) {
		thread->wait.since_ns = 0;
		return;
	}
	/* A waker may be as early as this: then it was blocked for no time. */
	thread->doing =
	    state && task->__state != TASK_WAKING ? reason_of(task, state) : WICK_WALL_QUEUE;
	begin_wait(&thread->wait, task, now);
	begin_queue(thread, task);
	announce_as(thread, record, thread->doing);
	announce_as(thread, record, WICK_WALL_QUEUE);
	announce_throttled(thread, record);
}

/* Who comes has left and was not on a CPU since. */
static __noinline int expect_off_cpu(struct wall_thread *thread, struct task_struct *task, u64 now)
{
	u32 cause = WICK_GAP_SWITCH;
	u64 since_ns;

	if (thread->wait.since_ns && thread->doing != WICK_WALL_ON_CPU &&
	    !ran_unseen(&thread->wait, task)) {
		count_off_cpu(thread, task, now - thread->wait.since_ns);
		return 0;
	}
	since_ns = take_unfollowed(task);
	if (since_ns)
		cause = WICK_GAP_STORAGE;
	if (!thread->wait.since_ns) {
		thread->wait.since_ns = since_ns ? since_ns : unmet_since(task, now);
		if (!since_ns)
			cause = WICK_GAP_START;
	}
	lose_time(thread, task, cause, now);
	thread->wait.switches = switches_of(task);
	return 0;
}

static __always_inline void come_back(struct task_struct *task, u64 now)
{
	struct wall_thread *thread = bpf_task_storage_get(&threads, task, 0, 0);

	if (!thread) {
		if (!is_kind_of_thread(task) || !other_task_passes(task, ids_of(task)))
			return;
		thread = followed_thread(&threads, task, now);
		if (!thread)
			return;
	}
	expect_off_cpu(thread, task, now);
	thread->wait.since_ns = now;
	thread->doing = WICK_WALL_ON_CPU;
	thread->sampled.task = 0;
}

SEC("wick_tp/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	if (is_running())
		both_sides_of_switch(ctx, prev, next, preempt ? 0 : prev_state);
	return 0;
}

SEC("wick_tp/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct wall_thread *thread = bpf_task_storage_get(&threads, task, 0, 0);
	u64 now = bpf_ktime_get_ns();

	if (!is_running() || !thread || !thread->wait.since_ns ||
	    thread->doing == WICK_WALL_ON_CPU || thread->doing == WICK_WALL_QUEUE ||
	    ran_unseen(&thread->wait, task))
		return 0;
	count_as(thread, thread->doing, now - thread->wait.since_ns);
	thread->wait.since_ns = now;
	thread->doing = WICK_WALL_QUEUE;
	begin_queue(thread, task);
	return 0;
}

/* A thread begins its life waiting for a CPU. */
SEC("wick_tp/sched_process_fork")
int BPF_PROG(on_birth, struct task_struct *parent, struct task_struct *child)
{
	struct task_ids ids = ids_of(child);
	struct wick_stack_record *record;
	struct wall_thread *thread;
	u64 comm[2] = {};

	if (!is_running() || !is_kind_of_thread(child) || !other_task_passes(child, ids))
		return 0;
	thread = followed_thread(&threads, child, bpf_ktime_get_ns());
	record = empty_record(SCRATCH_PROBE, ids, true);
	if (!thread || !record)
		return 0;
	bpf_probe_read_kernel(comm, sizeof(comm), child->comm);
	identify(record, ids, (u64)BPF_CORE_READ(child, mm), comm, 0);
	remember_stack(thread, record);
	set_tag(record, WICK_WALL_QUEUE);
	announce_other(record, child);
	thread->doing = WICK_WALL_QUEUE;
	thread->wait.since_ns = bpf_ktime_get_ns();
	return 0;
}

/* A started command begins on the CPU, at its exec: before that it was Wick. */
SEC("wick_tp/sched_process_exec")
int BPF_PROG(on_command, struct task_struct *task)
{
	struct task_ids ids = ids_of(task);
	u64 now = bpf_ktime_get_ns();
	struct wall_thread *thread;

	begins_command(ids.tgid);
	if (!is_running() || !is_kind_of_thread(task) || !other_task_passes(task, ids) ||
	    bpf_task_storage_get(&threads, task, 0, 0))
		return 0;
	thread = followed_thread(&threads, task, now);
	if (!thread)
		return 0;
	thread->doing = WICK_WALL_ON_CPU;
	thread->wait.since_ns = now;
	return 0;
}

SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wall_thread *thread;
	struct wick_stack_record *record;
	bool in_kernel = !is_in_user(ctx);
	u64 now;

	if (!is_running() || !task->pid)
		return 0;
	thread = bpf_task_storage_get(&threads, task, 0, 0);
	if (!thread || !thread->wait.since_ns || thread->doing != WICK_WALL_ON_CPU)
		return 0;
	now = bpf_ktime_get_ns();
	record = take_stack(ctx, task, current_ids(task), SCRATCH_SAMPLE, in_kernel,
			    sampled_registers(ctx, task), 0);
	if (!record)
		return 0;
	count_record(record, now - thread->wait.since_ns, 1);
	thread->wait.since_ns = now;
	thread->sampled = record->key;
	return 0;
}

/* Under a tag more: the stack that was taken, or the whole one it is a part of. */
static __always_inline bool announce_tagged(struct wick_stack_record *record,
					    struct task_struct *task, u32 tag,
					    struct wick_stack_key old, struct wick_stack_key user)
{
	set_tag(record, tag);
	return mending ? announce_mended(record, old, user) : announce_other(record, task);
}

/* Those that live already. Run again when user space has got more tables: who still waits has its
 * stack mended. */
SEC("wick_iter.s/task")
int at_start(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wick_stack_record *record;
	struct wall_thread *thread;
	struct wick_stack_key old, user;
	struct task_ids ids;
	u64 since_ns;
	u32 doing;

	if (!task || !task->pid || task->exit_state || !is_kind_of_thread(task))
		return 0;
	thread = thread_without_stack(&threads, task, &ids);
	if (!thread)
		return 0;
	since_ns = thread->wait.since_ns;
	if (task->on_cpu) {
		__sync_val_compare_and_swap(&thread->wait.since_ns, 0, mending ? 0 : armed_ns);
		return 0;
	}
	doing = mending ? thread->doing : reason_of(task, task->__state);
	if (doing == WICK_WALL_ON_CPU)
		return 0;
	record = take_other_stack(task, ids, doing, mending);
	if (!record || !announce_other(record, task))
		return 0;
	if (mending && !is_mended(record, thread->wait.to_mend))
		return 0;
	old = key_of(thread, doing);
	user = record->key;
	if (!announce_tagged(record, task, WICK_WALL_QUEUE, old, user) ||
	    !announce_tagged(record, task, doing, old, user))
		return 0;
	/* It may have run meanwhile. */
	if (thread->wait.since_ns != since_ns)
		return 0;
	set_tag(record, 0);
	thread->stack = record->key;
	thread->wait.to_mend = mending ? 0 : to_mend(record);
	thread->known = 1U << doing | 1U << WICK_WALL_QUEUE;
	if (mending)
		return 0;
	thread->doing = doing;
	begin_wait_at_start(&thread->wait, task);
	return 0;
}

/* Of a thread that was never followed. */
static __always_inline void count_unfollowed(struct task_struct *task)
{
	u64 since_ns = take_unfollowed(task);

	if (since_ns && since_ns < ended_ns)
		count_gap(task, SCRATCH_OTHER, WICK_GAP_STORAGE, ended_ns - since_ns);
}

/* What is open when it is over. Nothing else runs any more. */
SEC("wick_iter/task")
int at_end(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wall_thread *thread;
	u64 amount;

	if (!task || !task->pid)
		return 0;
	thread = bpf_task_storage_get(&threads, task, 0, 0);
	if (!thread || !thread->wait.since_ns) {
		count_unfollowed(task);
		return 0;
	}
	if (thread->wait.since_ns >= ended_ns)
		return 0;
	amount = ended_ns - thread->wait.since_ns;
	if (thread->doing != WICK_WALL_ON_CPU)
		count_off_cpu(thread, task, amount);
	else if (thread->sampled.task)
		count_key(&thread->sampled, amount);
	else
		count_without_stack(task, WICK_WALL_ON_CPU, amount);
	return 0;
}
