/* SPDX-License-Identifier: GPL-2.0 */
/* What a walk that came too early needs to be finished: its registers and its stack, for user
 * space, once for each stack. Part of stacks.bpf.h.
 *
 * The stack of a program that has just begun is walked before its list of mappings is there, and
 * that of a file seen for the first time before its table is. Both are there a moment later, when
 * the program may be gone. */
#pragma once

/* User space makes it larger where walks go by tables. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} raw_stacks SEC(".maps");

/* What is being sent. In a map: the stack of the program that walks has no room for it. */
struct raw_copy {
	struct wick_stack_key key;
	u64 time_ns;
	u64 ip, sp, bp;
	u64 at;
	u64 end;  /* of what may be of use */
	u64 hash; /* of the first piece; then the stack's name in raw_sent */
	u64 exact;
	struct wick_raw_piece piece;
};
/* For each kind of program its own, as with `scratch`. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4);
	__type(key, u32);
	__type(value, struct raw_copy);
} raw_scratch SEC(".maps");
/* bpf_loop takes no pointer but one to the stack. */
struct raw_context {
	struct raw_copy *copy;
};

/* How many stacks of a process were sent since its list changed. */
struct raw_sender {
	u32 tgid;
	u32 list;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct raw_sender);
	__type(value, u32);
} raw_senders SEC(".maps");

/* Those that were sent; the least used may fall out and are sent again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, u64);
	__type(value, u8);
} raw_sent SEC(".maps");

/* Wake user space when this much of raw_stacks is filled. */
const volatile u64 raw_wake_bytes = 1 << 20;

/* Addresses, of whatever; other numbers differ from sample to sample in one and the same stack. */
static long hash_address(u32 index, void *context)
{
	struct raw_copy *copy = ((struct raw_context *)context)->copy;
	u64 word;

	if (index >= WICK_RAW_WORDS)
		return 1;
	word = copy->piece.stack[index];
	if (word - 0x10000 < 0x800000000000ULL)
		copy->hash = hash_step(copy->hash, word);
	return 0;
}

static __always_inline u32 read_raw_words(struct raw_copy *copy, u64 bytes)
{
	if (bytes > WICK_RAW_WORDS * sizeof(u64) ||
	    bpf_probe_read_user(copy->piece.stack, bytes, (void *)copy->at))
		return 0;
	return bytes / sizeof(u64);
}

/* As many words from copy->at on as can be read. */
static __always_inline u32 read_raw_piece(struct raw_copy *copy)
{
	u64 left = copy->end - copy->at, page = 4096 - (copy->at & 4095);
	u64 most = WICK_RAW_WORDS * sizeof(u64);
	u32 words = read_raw_words(copy, left < most ? left : most);

	/* What is behind the stack's end cannot be read. */
	if (!words) {
		copy->end = copy->at;
		words = page < left ? read_raw_words(copy, page) : 0;
	}
	return words;
}

/* What is in copy->piece, `words` of it. False: there is no room. */
static __always_inline bool output_raw_piece(struct raw_copy *copy, u32 words)
{
	struct wick_raw_piece *piece = &copy->piece;
	u64 bytes = __builtin_offsetof(struct wick_raw_piece, stack) + words * sizeof(u64);

	piece->type = WICK_RECORD_RAW_PIECE;
	piece->pad = 0;
	piece->key = copy->key;
	piece->time_ns = copy->time_ns;
	piece->ip = copy->ip;
	piece->sp = copy->sp;
	piece->bp = copy->bp;
	piece->exact = copy->exact;
	piece->words = words;
	piece->at = copy->at;
	copy->at += words * sizeof(u64);
	if (bytes > sizeof(*piece))
		return false;
	return !bpf_ringbuf_output(
	    &raw_stacks, piece, bytes,
	    bpf_ringbuf_query(&raw_stacks, BPF_RB_AVAIL_DATA) > raw_wake_bytes ? BPF_RB_FORCE_WAKEUP
									       : BPF_RB_NO_WAKEUP);
}

static long send_raw_piece(u32 index, void *context)
{
	struct raw_copy *copy = ((struct raw_context *)context)->copy;
	u32 words;

	if (copy->at >= copy->end)
		return 1;
	words = read_raw_piece(copy);
	return !words || !output_raw_piece(copy, words);
}

/* False: as many of this process were sent as ever will be. */
static __always_inline bool may_send_raw(u32 tgid, u32 list)
{
	struct raw_sender sender = {.tgid = tgid, .list = list};
	u32 *sent = bpf_map_lookup_elem(&raw_senders, &sender), none = 0;

	if (!sent)
		bpf_map_update_elem(&raw_senders, &sender, &none, BPF_ANY);
	return !sent || *sent < WICK_RAW_STACKS;
}

static __always_inline void note_raw_sent(u32 tgid, u32 list, u64 name)
{
	struct raw_sender sender = {.tgid = tgid, .list = list};
	u32 *sent = bpf_map_lookup_elem(&raw_senders, &sender);
	u8 yes = 1;

	if (sent)
		*sent += 1;
	bpf_map_update_elem(&raw_sent, &name, &yes, BPF_ANY);
}

/* Gives the record a key that tells its whole stack from others, as far as the first piece does,
 * and says whether it is new. */
static __always_inline bool is_new_raw_stack(struct raw_copy *copy,
					     struct wick_stack_record *record, u32 words)
{
	struct raw_context context = {copy};
	u64 name;

	copy->hash = hash_step(hash_step(record->key.stack, copy->sp), copy->bp);
	bpf_loop(words, hash_address, &context, 0);
	/* Without its tag: there may be several of one stack. */
	copy->key.task = wick_untagged(record->key.task, record->tag);
	copy->key.stack = record->key.stack = hash_finish(copy->hash);
	copy->hash = name = copy->key.task ^ copy->key.stack;
	return !bpf_map_lookup_elem(&raw_sent, &name);
}

/* An exec is between two address spaces: the registers are still those of the old one, and the new
 * one is being filled. Such a record has no user stack.
 *
 * This and send_raw_stack() are verified once and take no registers: what stays alive from before
 * the walk until after it, and every branch there, multiplies the states of the whole program (16
 * ms of loading became 85). */
WICK_ONCE int drop_stack_of_exec(struct wick_stack_record *record)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!record || !record->in_kernel || record->stop == WICK_STOP_ROOT ||
	    BPF_CORE_READ(task, mm, end_code))
		return 0;
	record->user_depth = record->by_pointer = record->stop = 0;
	end_frames(record, record->kernel_depth);
	return 0;
}

/* Where what may be of use of a stack ends: where a first thread began, and at its control block
 * for another one, which the C library puts there. */
static __always_inline u64 raw_stack_end(struct task_struct *task, u64 sp)
{
	u64 end = sp + WICK_RAW_PIECES * WICK_RAW_WORDS * sizeof(u64);
	u64 top = BPF_CORE_READ(task, mm, start_stack) + sizeof(u64);
	u64 control = task->thread.fsbase;

	if (top > sp && top < end)
		end = top;
	return control > sp && control < end ? control : end;
}

/* If the walk of this kind, whose outcome `record` is, lacked something: sends what it takes to
 * finish it. */
WICK_ONCE int send_raw_stack(struct wick_stack_record *record, u32 kind)
{
	u32 words;
	struct unwind_walk *walk = bpf_map_lookup_elem(&unwind_scratch, &kind);
	struct raw_copy *copy = bpf_map_lookup_elem(&raw_scratch, &kind);
	struct wick_stack_totals *sum = stack_totals();
	struct raw_context context = {copy};

	if (!record || (record->stop == WICK_STOP_ROOT && !record->by_pointer))
		return 0;
	if (!walk || !copy || !sum || !walk->lacking || record->runtime ||
	    !may_send_raw(record->tgid, walk->process.list))
		return 0;
	copy->ip = walk->leaf.ip;
	copy->at = copy->sp = walk->leaf.sp;
	copy->bp = walk->leaf.bp;
	copy->exact = walk->leaf.exact;
	copy->time_ns = bpf_ktime_get_ns();
	copy->end = raw_stack_end(bpf_get_current_task_btf(), copy->sp);
	words = read_raw_piece(copy);
	if (!words || !is_new_raw_stack(copy, record, words))
		return 0;
	if (!output_raw_piece(copy, words)) {
		sum->raw_lost++;
		return 0;
	}
	note_raw_sent(record->tgid, walk->process.list, copy->hash);
	bpf_loop(WICK_RAW_PIECES - 1, send_raw_piece, &context, 0);
	return 0;
}
