/* SPDX-License-Identifier: GPL-2.0 */
/* The frames of a Ruby program (CRuby), read from the interpreter's memory:
 *
 *   ruby_current_ec (thread-local) > control frames, an array that ends with the VM stack
 *                                  > tags, a list of places to jump to, each in a C frame
 *
 * rb_vm_exec runs many Ruby frames in one C frame, down to one that is marked as its last. It sets
 * up a tag, which is a variable of that C frame: so the tag of the innermost rb_vm_exec tells where
 * the first group of frames belongs, and so on. A frame is pushed a few instructions before its tag
 * and popped before it: groups and tags are counted off from the root. */
#pragma once

#include "bpf/abi/runtime/ruby.h"
#include "bpf/runtime/runtime.bpf.h"

enum {
	RUBY_MAX_TAGS = 1024, /* that are gone through; a power of two */
	RUBY_MAX_MARKS = 256, /* those of rb_vm_exec that are kept; a power of two */
	RUBY_MAX_MODULES = 65536,
	RUBY_MAX_STACK_WORDS = 1 << 24,
	RUBY_TAG_BYTES = 64, /* of rb_vm_tag that are read */
	/* A read costs more than what it copies: frames are read eight at a time, and environments
	 * in pieces of the VM stack. Powers of two. */
	RUBY_FRAMES_WORDS = 64,
	RUBY_VALUES_WORDS = 256,
	/* Flags of a frame, the last word of its environment. */
	RUBY_MAGIC_MASK = 0x7fff0001,
	RUBY_MAGIC_CFUNC = 0x55550001,
	RUBY_FLAG_FINISH = 0x20,
};

/* The state of a walk. In a map: on the stack it would be too much for the callers on 6.1. */
struct ruby_state {
	u64 marks[RUBY_MAX_MARKS]; /* tags of rb_vm_exec */
	u64 frames[RUBY_FRAMES_WORDS];
	u64 values[RUBY_VALUES_WORDS];
	u64 values_at;	    /* the address of the first of them */
	u64 values_most;    /* bytes from there to the last environment in them */
	u64 start;	    /* of the VM stack */
	u64 environment[3]; /* method entry or lexical scope, block or parent, flags */
	u64 frame;
	u64 end;
	u64 tag;
	u32 tags;     /* of rb_vm_exec */
	u32 groups;   /* that ended with a frame of rb_vm_exec */
	u32 assigned; /* groups that have their mark */
	u32 limit;
	u32 slot;    /* the first word of the frame at hand in `frames` */
	u32 loaded;  /* words in `frames` */
	u32 shift;   /* tags that come before the first group's; -1: that one has none */
	u8 begins;   /* the next frame is the first of a group */
	u8 all_tags; /* the lists were read to their ends */
	u8 all_frames;
	u8 unreadable;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4);
	__type(key, u32);
	__type(value, struct ruby_state);
} ruby_scratch SEC(".maps");

struct ruby_walk {
	const struct wick_ruby_layout *layout;
	struct runtime_stack *stack;
	struct ruby_state *state;
};

/* The execution context of the current thread. 0: it runs no Ruby; *lost then says that this is not
 * sure. The table of thread-local blocks is the second word of what the thread pointer shows. */
static __always_inline u64 ruby_context(const struct wick_ruby_layout *layout, u64 self, bool *lost)
{
	u64 index[2], at, context, thread, back;

	/* Memory that was not touched yet: the interpreter has not begun. */
	if (bpf_probe_read_user(index, sizeof(index), (void *)layout->tls_index) || !index[0] ||
	    index[0] > RUBY_MAX_MODULES)
		return 0;
	if (!read_runtime_word(self + 8, &at) || !read_runtime_word(at + 16 * index[0], &at))
		return 0;
	/* All ones: this thread has no block of that module yet. */
	if (at + 1 <= 1 || !read_runtime_word(at + index[1], &context) || !context)
		return 0;
	if (!read_runtime_word(context + layout->thread, &thread) ||
	    !read_runtime_word(thread + layout->thread_context, &back) || back != context) {
		*lost = true;
		return 0;
	}
	return context;
}

static long ruby_tag_step(u32 index, void *data)
{
	struct ruby_walk *walk = data;
	const struct wick_ruby_layout *layout = walk->layout;
	struct ruby_state *state = walk->state;
	u64 *tag = walk->stack->frame;

	if (!state->tag) {
		state->all_tags = 1;
		return 1;
	}
	if (bpf_probe_read_user(tag, RUBY_TAG_BYTES, (void *)state->tag))
		return 1;
	if (tag[(layout->tag_label >> 3) & 7] - layout->exec < layout->exec_bytes) {
		u32 at = state->tags;

		if (at >= RUBY_MAX_MARKS)
			return 1;
		state->marks[at & (RUBY_MAX_MARKS - 1)] = state->tag;
		state->tags = at + 1;
	}
	state->tag = tag[(layout->tag_previous >> 3) & 7];
	return 0;
}

static __always_inline u64 ruby_word(u64 address, u64 index)
{
	if (index > WICK_RUBY_NO_INSTRUCTION)
		index = WICK_RUBY_NO_INSTRUCTION;
	return WICK_RUNTIME_FRAME |
	       address >> WICK_RUBY_ADDRESS_SHIFT << WICK_RUBY_INSTRUCTION_BITS | index;
}

/* Which instruction the frame is at, counted in words. */
static __always_inline u64 ruby_instruction(const struct wick_ruby_layout *layout, u64 code, u64 pc)
{
	u64 at;

	if (!runtime_lines || !read_runtime_word(code + layout->code_body, &at) ||
	    !read_runtime_word(at + layout->body_start, &at))
		return WICK_RUBY_NO_INSTRUCTION;
	return (pc - at) >> 3;
}

/* A word of the frame at hand. */
static __always_inline u64 ruby_frame_field(struct ruby_state *state, u32 offset)
{
	return state->frames[(state->slot + (offset >> 3)) & (RUBY_FRAMES_WORDS - 1)];
}

/* Sees to it that the frame at hand is in `frames`. */
static __always_inline bool load_ruby_frame(struct ruby_state *state, u32 words)
{
	if (state->slot + words <= state->loaded)
		return true;
	state->slot = 0;
	state->loaded = RUBY_FRAMES_WORDS;
	if (!bpf_probe_read_user(state->frames, sizeof(state->frames), (void *)state->frame))
		return true;
	/* The memory ends with the VM stack. */
	state->loaded = 8;
	return !bpf_probe_read_user(state->frames, 64, (void *)state->frame);
}

/* The three words of an environment that begin at `at`, with what is below them on the VM stack:
 * the callers' are there. (What is above may be memory that was never touched.) Those of blocks
 * that were kept are elsewhere. */
static __always_inline bool load_ruby_environment(struct ruby_state *state, u64 at)
{
	u64 most = (RUBY_VALUES_WORDS - 3) * sizeof(u64), from = at - state->values_at, bytes;
	u32 word;

	if (at < state->start || at >= state->end)
		return !bpf_probe_read_user(state->environment, sizeof(state->environment),
					    (void *)at);
	if (from > state->values_most) {
		state->values_at = at - state->start > most ? at - most : state->start;
		from = at - state->values_at;
		state->values_most = from;
		bytes = from + 3 * sizeof(u64);
		if (bytes > sizeof(state->values) ||
		    bpf_probe_read_user(state->values, bytes, (void *)state->values_at)) {
			state->values_at = state->values_most = 0;
			return false;
		}
	}
	word = from >> 3;
	state->environment[0] = state->values[word & (RUBY_VALUES_WORDS - 1)];
	state->environment[2] = state->values[(word + 2) & (RUBY_VALUES_WORDS - 1)];
	return true;
}

/* The word of the frame at hand; 0: it is not one that people see. */
static __always_inline u64 ruby_frame_word(struct ruby_walk *walk, bool is_code)
{
	const struct wick_ruby_layout *layout = walk->layout;
	struct ruby_state *state = walk->state;
	u64 code = ruby_frame_field(state, layout->code);

	if (is_code)
		return ruby_word(
		    code, ruby_instruction(layout, code, ruby_frame_field(state, layout->pc)));
	if ((state->environment[2] & RUBY_MAGIC_MASK) != RUBY_MAGIC_CFUNC)
		return 0;
	return ruby_word(state->environment[0], WICK_RUBY_NO_INSTRUCTION) | WICK_RUBY_CFUNC;
}

static __always_inline void ruby_push(struct ruby_walk *walk, u64 word)
{
	struct runtime_stack *stack = walk->stack;
	u32 at = stack->count;

	if (!word || at >= walk->state->limit)
		return;
	at &= WICK_RUNTIME_MAX_FRAMES - 1;
	stack->words[at] = word;
	stack->bounds[at] = walk->state->begins;
	stack->count = at + 1;
	walk->state->begins = 0;
}

static long ruby_step(u32 index, void *data)
{
	struct ruby_walk *walk = data;
	const struct wick_ruby_layout *layout = walk->layout;
	struct ruby_state *state = walk->state;
	bool is_code;

	if (state->frame >= state->end) {
		state->all_frames = 1;
		return 1;
	}
	if (walk->stack->count >= state->limit)
		return 1;
	if (!load_ruby_frame(state, layout->frame_bytes >> 3) ||
	    !load_ruby_environment(state, ruby_frame_field(state, layout->environment) - 16)) {
		state->unreadable = 1;
		return 1;
	}
	/* What C pushes has no instruction to go on with. */
	is_code = ruby_frame_field(state, layout->code) && ruby_frame_field(state, layout->pc);
	ruby_push(walk, ruby_frame_word(walk, is_code));
	if (state->environment[2] & RUBY_FLAG_FINISH) {
		state->groups += is_code;
		state->begins = 1;
	}
	state->frame += layout->frame_bytes;
	state->slot += layout->frame_bytes >> 3;
	return 0;
}

/* Gives the first frame of each group its bound. */
static long ruby_bound_step(u32 index, void *data)
{
	struct ruby_walk *walk = data;
	struct ruby_state *state = walk->state;
	u64 *bound;
	u32 at;

	if (index >= walk->stack->count)
		return 1;
	bound = &walk->stack->bounds[index & (WICK_RUNTIME_MAX_FRAMES - 1)];
	if (!*bound)
		return 0;
	at = state->assigned++ + state->shift;
	if (at == (u32)-1)
		*bound = 1; /* right at the leaf */
	else
		*bound =
		    at < state->tags ? state->marks[at & (RUBY_MAX_MARKS - 1)] : RUNTIME_NOWHERE;
	return 0;
}

/* False: this is no Ruby stack as we know it. */
static __always_inline bool begin_ruby_walk(struct ruby_walk *walk, u64 context)
{
	const struct wick_ruby_layout *layout = walk->layout;
	struct ruby_state *state = walk->state;
	u64 start, words;

	state->tags = state->groups = state->assigned = state->shift = 0;
	state->slot = state->loaded = 0;
	state->values_at = state->values_most = 0;
	state->begins = 1;
	/* The loop over instructions. */
	walk->stack->callees = 1;
	state->all_tags = state->all_frames = state->unreadable = 0;
	if (!read_runtime_word(context + layout->stack, &start) ||
	    !read_runtime_word(context + layout->stack_words, &words) ||
	    !read_runtime_word(context + layout->frame, &state->frame) ||
	    !read_runtime_word(context + layout->tag, &state->tag) || words > RUBY_MAX_STACK_WORDS)
		return false;
	/* The oldest frame is there before any code runs, and shown by nobody. */
	state->start = start;
	state->end = start + 8 * words - layout->frame_bytes;
	walk->stack->own_root = read_runtime_word(context + layout->fiber, &words) && words;
	return state->frame > start && state->frame <= state->end &&
	       !((state->end - state->frame) & (layout->frame_bytes - 1));
}

/* As read_runtime_stack(). A global function, as read_python_stack(). */
__noinline int read_ruby_stack(u32 number, u32 limit, u32 kind);
__noinline int read_ruby_stack(u32 number, u32 limit, u32 kind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct ruby_walk walk = {};
	struct wick_runtime *runtime;
	bool lost = false;
	u64 context;

	if (!runs_runtime(WICK_RUNTIME_RUBY))
		return 0;
	runtime = bpf_map_lookup_elem(&runtime_entries, &number);
	walk.stack = bpf_map_lookup_elem(&runtime_scratch, &kind);
	walk.state = bpf_map_lookup_elem(&ruby_scratch, &kind);
	if (!runtime || !walk.stack || !walk.state)
		return 0;
	walk.layout = (const struct wick_ruby_layout *)runtime->layout;
	walk.state->limit = limit < WICK_RUNTIME_MAX_FRAMES ? limit : WICK_RUNTIME_MAX_FRAMES;
	context = ruby_context(walk.layout, task->thread.fsbase, &lost);
	if (context && !begin_ruby_walk(&walk, context)) {
		lost = true;
		context = 0;
	}
	if (!context) {
		walk.stack->lost = lost << WICK_RUNTIME_NO_THREAD;
		return 0;
	}
	bpf_loop(RUBY_MAX_TAGS, ruby_tag_step, &walk, 0);
	bpf_loop(2 * WICK_RUNTIME_MAX_FRAMES, ruby_step, &walk, 0);
	if (walk.state->all_tags && walk.state->all_frames)
		walk.state->shift = walk.state->tags - walk.state->groups;
	bpf_loop(WICK_RUNTIME_MAX_FRAMES, ruby_bound_step, &walk, 0);
	walk.stack->lost = (u32)walk.state->unreadable << WICK_RUNTIME_UNREADABLE;
	return walk.stack->count;
}
