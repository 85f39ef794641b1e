/* SPDX-License-Identifier: GPL-2.0 */
/* The stack shape: counters of the current task and its stack. Used by every tool whose result is a
 * profile. count_stack() does all of it; who knows the amount only later (how long a thread
 * slept) has take_stack(), announce_stack() now and count_key() then.
 *
 *   sample > filter > walk into scratch > hash > counts[key] += amount (hot: no copy, no wake-up)
 *                                          new key? its record goes to the ring, once per flip
 *
 * There are two count maps. User space turns them over, drains the one that is not written to, and
 * a run of any length fits. */
#pragma once

#include "bpf/abi/stacks.h"
#include "bpf/lib/filter.bpf.h"
#include "bpf/lib/hash.bpf.h"
#include "bpf/lib/walk.bpf.h"

const volatile bool want_kernel = true;
const volatile bool include_idle = false;
const volatile bool by_thread = false;
/* Amounts are not all 1: how often is counted too. */
const volatile bool weighted = false;
const volatile u64 hash_seed = 0;
/* Wake user space when this much of the ring is filled. */
const volatile u64 wake_bytes = 1 << 18;

/* One entry per distinct (task, stack) since the last flip; user space sets the size by the
 * sampling rate, and flips when it is half full. What does not fit is WICK_LOSS_COUNTS_FULL. */
struct counts_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct wick_stack_key);
	__type(value, struct wick_stack_value);
};
struct counts_map counts_a SEC(".maps");
struct counts_map counts_b SEC(".maps");

/* Which of them is written to. User space turns it over, and then waits until no program can still
 * be at work on the old one. */
u32 second_set;

/* Holds nothing: an update of a map of maps returns when all programs that ran before it have
 * ended, which is just that wait. (Were it the switch itself, filling it before the first sample
 * would cost 10 ms.) */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct counts_map);
} flip_barrier SEC(".maps");

/* wick_stack_record, each as long as its stack, and the others of bpf/abi/stacks.h. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 19);
} records SEC(".maps");

/* Processes user space was woken for. Only a hint, so the least used may fall out. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, u8);
} known_processes SEC(".maps");

/* A program may interrupt one of another kind on its CPU: each kind has a buffer of its own. Those
 * of one kind do not: the kernel lets no second perf_event or tracepoint program in where one runs
 * (bpf_prog_active), and the scheduler's tracepoints are hit with interrupts off. */
enum stack_scratch {
	SCRATCH_SAMPLE, /* perf_event, tracepoint */
	SCRATCH_SCHED,	/* raw_tp of the scheduler */
	SCRATCH_PROBE,	/* uprobe */
	SCRATCH_OTHER,	/* iterators, about other tasks */
	SCRATCH_KINDS,	/* as many as unwind.bpf.h and runtime.bpf.h have buffers for */
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_KINDS);
	__type(key, u32);
	__type(value, struct wick_stack_record);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wick_stack_totals);
} totals SEC(".maps");

/* What is only needed once per key: six cache lines of task_struct that a sample need not touch. */
static __always_inline void describe_task(struct wick_stack_record *record,
					  struct task_struct *task)
{
	record->start_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	record->exec_id = task->self_exec_id;
	record->time_ns = bpf_ktime_get_ns();
}

/* Ships what the key in `record` stands for. True when it went. */
static __always_inline bool ship_record(struct wick_stack_record *record)
{
	u64 bytes = __builtin_offsetof(struct wick_stack_record, frames) +
		    (u64)(record->kernel_depth + record->user_depth) * sizeof(u64);
	u64 flags = BPF_RB_NO_WAKEUP;
	/* A process seen for the first time may be gone soon: user space reads its mappings now.
	 * And once more when it is first seen outside the kernel: inside an exec there is a new
	 * address space, but nothing in it. */
	u64 process = record->process ^ record->in_kernel;
	u8 yes = 1;

	record->type = WICK_RECORD_STACK;
	record->pad = 0;
	if (record->user_depth && !bpf_map_lookup_elem(&known_processes, &process)) {
		bpf_map_update_elem(&known_processes, &process, &yes, BPF_ANY);
		flags = BPF_RB_FORCE_WAKEUP;
	} else if (runtimes && record->runtime && wants_runtime_names(record->time_ns)) {
		flags = BPF_RB_FORCE_WAKEUP;
	} else if (record->stop == WICK_STOP_NO_PROCESS ||
		   bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > wake_bytes) {
		flags = BPF_RB_FORCE_WAKEUP;
	}
	if (bytes > sizeof(*record))
		return false;
	return bpf_ringbuf_output(&records, record, bytes, flags) == 0;
}

static __always_inline bool send_record(struct wick_stack_record *record)
{
	describe_task(record, bpf_get_current_task_btf());
	return ship_record(record);
}

static __always_inline void add_amount(struct wick_stack_value *value, u64 amount, u64 times)
{
	__sync_fetch_and_add(&value->value, amount);
	if (weighted)
		__sync_fetch_and_add(&value->count, times);
}

#include "bpf/lib/time_log.bpf.h"

/* True when user space has the record, or will. */
static __always_inline bool add_to_counter(void *map, u32 set, struct wick_stack_record *record,
					   u64 amount, u64 times, struct wick_stack_totals *sum)
{
	/* On the stack: 6.1 takes no key from memory it was given a pointer to. */
	struct wick_stack_key key = record->key;
	struct wick_stack_value *value = bpf_map_lookup_elem(map, &key);

	if (!value) {
		struct wick_stack_value first = {.value = amount, .count = times};

		if (log_times)
			first.index = new_stack_index();
		first.unsent = !send_record(record);
		if (!bpf_map_update_elem(map, &key, &first, BPF_NOEXIST)) {
			if (log_times && amount)
				log_time(set, first.index);
			return !first.unsent;
		}
		/* Another CPU was first with this key, or there is no room. */
		value = bpf_map_lookup_elem(map, &key);
		if (!value) {
			sum->losses[WICK_LOSS_COUNTS_FULL]++;
			return !first.unsent;
		}
	}
	if (amount || times)
		add_amount(value, amount, times);
	if (log_times && amount)
		log_time(set, value->index);
	if (value->unsent && send_record(record))
		value->unsent = 0;
	return !value->unsent;
}

static __always_inline struct wick_stack_totals *stack_totals(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&totals, &zero);
}

/* Adds to the counter of the stack that take_stack() made `record` of. */
WICK_ONCE int count_record(struct wick_stack_record *record, u64 amount, u64 times)
{
	struct wick_stack_totals *sum = stack_totals();

	if (!sum || !record)
		return false;
	/* Twice, not a pointer to either: so the kernel calls the hash table directly. */
	if (second_set)
		return add_to_counter(&counts_b, 1, record, amount, times, sum);
	return add_to_counter(&counts_a, 0, record, amount, times, sum);
}

/* Tells user space what the key in `record` stands for; count_key() adds to it later. True: it is
 * told, and need not be told again by who remembers the key. */
static __always_inline bool announce_stack(struct wick_stack_record *record)
{
	return count_record(record, 0, 0);
}

/* Whether something was counted under the key since the last flip. */
static __always_inline bool is_counted(const struct wick_stack_key *key)
{
	if (second_set)
		return bpf_map_lookup_elem(&counts_b, key);
	return bpf_map_lookup_elem(&counts_a, key);
}

static __always_inline void add_to_key(void *map, const struct wick_stack_key *key, u64 amount)
{
	struct wick_stack_value *value = bpf_map_lookup_elem(map, key);
	struct wick_stack_value first = {.value = amount, .count = 1};
	struct wick_stack_totals *sum;

	/* The sets were flipped since: user space knows the key. */
	if (!value && !bpf_map_update_elem(map, key, &first, BPF_NOEXIST))
		return;
	if (!value)
		value = bpf_map_lookup_elem(map, key);
	if (value) {
		add_amount(value, amount, 1);
		return;
	}
	sum = stack_totals();
	if (sum)
		sum->losses[WICK_LOSS_COUNTS_FULL]++;
}

/* Adds to the counter of a stack that was announced. */
static __always_inline void count_key(const struct wick_stack_key *key, u64 amount)
{
	if (second_set)
		add_to_key(&counts_b, key, amount);
	else
		add_to_key(&counts_a, key, amount);
}

static __always_inline struct wick_stack_record *empty_record(enum stack_scratch kind,
							      struct task_ids ids, bool in_kernel)
{
	u32 buffer = kind;
	struct wick_stack_record *record = bpf_map_lookup_elem(&scratch, &buffer);

	if (!record)
		return 0;
	record->kernel_depth = 0;
	record->user_depth = 0;
	record->missed = 0;
	record->stop = 0;
	record->by_pointer = 0;
	record->runtime = 0;
	record->tgid = ids.tgid;
	record->tid = by_thread ? ids.tid : 0;
	record->in_kernel = in_kernel;
	record->tag = 0;
	record->frames[0] = record->frames[1] = record->frames[2] = record->frames[3] = 0;
	return record;
}

/* Makes another key of the same stack: what a tag adds to one can be taken off again. */
static __always_inline void set_tag(struct wick_stack_record *record, u32 tag)
{
	record->key.task ^= record->tag * WICK_HASH_ODD ^ tag * WICK_HASH_ODD;
	record->tag = tag;
}

/* Gives a record that has its frames its key. */
static __always_inline void identify(struct wick_stack_record *record, struct task_ids ids,
				     u64 address_space, const u64 *comm, u32 tag)
{
	__builtin_memcpy(record->comm, comm, sizeof(record->comm));
	/* A PID and its address space: an exec makes another one, and a PID is not used again so
	 * soon. */
	record->process = hash_step(hash_step(hash_seed, ids.tgid), address_space);
	record->key.task = hash_finish(
	    hash_step(hash_step(hash_step(record->process, comm[0]), comm[1]), record->tid));
	record->key.stack = hash_words(record->frames, record->kernel_depth + record->user_depth,
				       hash_seed ^ record->kernel_depth << 16 ^ record->stop << 8);
	set_tag(record, tag);
}

#include "bpf/lib/raw_stack.bpf.h"

/* The current task and its stacks as a record in this kind's buffer, with the key they count
 * under. `regs` are its user registers; `tag` is the tool's own, and keeps equal stacks apart. The
 * caller asked task_passes(). */
static __always_inline struct wick_stack_record *take_stack(void *ctx, struct task_struct *task,
							    struct task_ids ids,
							    enum stack_scratch kind, bool in_kernel,
							    struct user_registers regs, u32 tag)
{
	struct wick_stack_record *record = empty_record(kind, ids, in_kernel);
	struct wick_stack_totals *sum = stack_totals();
	u64 address_space, comm[2] = {};

	if (!record || !sum)
		return 0;
	sum->samples++;
	if (want_kernel && in_kernel)
		walk_kernel(ctx, record, sum);
	/* As a number: the verifier lets nobody hash a pointer. */
	address_space = (u64)BPF_CORE_READ(task, mm);
	if (want_user && address_space)
		walk_user(ctx, record, sum, regs, kind);
	if (unwind_by_tables)
		drop_stack_of_exec(record);

	bpf_get_current_comm(comm, sizeof(comm));
	identify(record, ids, address_space, comm, tag);
	/* Of what user space knows a moment later it finishes the walk. */
	if (unwind_by_tables)
		send_raw_stack(record, kind);
	return record;
}

/* Counts the stack of the current task, if it is one to look at. */
static __always_inline int count_stack(void *ctx, struct task_struct *task, bool in_kernel,
				       struct user_registers regs, u64 amount)
{
	struct task_ids ids = current_ids(task);
	struct wick_stack_record *record;

	if ((!include_idle && !task->pid) || !task_passes(task, ids))
		return 0;
	record = take_stack(ctx, task, ids, SCRATCH_SAMPLE, in_kernel, regs, 0);
	if (record)
		count_record(record, amount, 1);
	return 0;
}
