/* SPDX-License-Identifier: GPL-2.0 */
/* The frames of a Python program (CPython 3.11 on), read from the interpreter's memory before the
 * walk up the native stack, which then puts them in (unwind.bpf.h):
 *
 *   _PyRuntime > state of this thread > frame > frame > … each tells its code and its caller
 *
 * The interpreter runs many Python frames in one C frame, as long as Python calls Python. Where it
 * was called from C again there is a boundary: a variable of that C frame, whose address tells
 * between which native frames the Python frames belong. */
#pragma once

#include "bpf/abi/runtime/python.h"
#include "bpf/runtime/runtime.bpf.h"

/* glibc, x86-64: where in a thread's control block (%fs) its values by pthread key are. Older and
 * other libraries give a state that is not of this thread, which is noticed. */
enum {
	PTHREAD_FIRST_BLOCK = 0x310, /* 32 of {sequence, value} */
	PTHREAD_BLOCKS = 0x510,	     /* pointers to blocks of 32 */
	PTHREAD_BLOCK_BITS = 5,
	/* A thread is looked for among so many. */
	PYTHON_MAX_THREADS = 512,
	/* Frames that are gone through to find the boundary of those that are kept: Python's own
	 * limit of recursion is 1000. */
	PYTHON_MAX_STEPS = 2048,
};

struct python_walk {
	const struct wick_python_layout *runtime;
	struct runtime_stack *stack;
	u64 frame;
	u64 cframe;
	u32 first; /* of the C frame at hand */
	u32 limit;
	bool unreadable;
};

static __always_inline bool python_thread_is(const struct wick_python_layout *runtime, u64 thread,
					     u64 self)
{
	u64 id;

	return read_runtime_word(thread + runtime->thread_id, &id) && id == self;
}

struct python_search {
	const struct wick_python_layout *runtime;
	u64 self;
	u64 interpreter;
	u64 thread;
	u64 found;
};

static long python_search_step(u32 index, void *context)
{
	struct python_search *search = context;
	const struct wick_python_layout *runtime = search->runtime;
	u64 at = search->thread;

	if (at) {
		if (python_thread_is(runtime, at, search->self)) {
			search->found = at;
			return 1;
		}
		return !read_runtime_word(at + runtime->next_thread, &search->thread);
	}
	at = search->interpreter;
	return !at || !read_runtime_word(at + runtime->threads, &search->thread) ||
	       !read_runtime_word(at + runtime->next_interpreter, &search->interpreter);
}

/* What the thread keeps under the key of the interpreter. False: nobody can tell. */
static __always_inline bool python_thread_value(const struct wick_python_layout *runtime, u64 self,
						u64 *thread)
{
	u32 key[2] = {}; /* is there one, and which */
	u64 block = self + PTHREAD_FIRST_BLOCK;

	if (!runtime->thread_key ||
	    bpf_probe_read_user(key, sizeof(key), (void *)(runtime->address + runtime->thread_key)))
		return false;
	if (!key[0]) {
		*thread = 0;
		return true;
	}
	if (key[1] >> PTHREAD_BLOCK_BITS &&
	    !read_runtime_word(self + PTHREAD_BLOCKS + 8 * (u64)(key[1] >> PTHREAD_BLOCK_BITS),
			       &block))
		return false;
	/* The second word of the pair. */
	return read_runtime_word(block + 16 * (u64)(key[1] & ((1 << PTHREAD_BLOCK_BITS) - 1)) + 8,
				 thread);
}

/* The state of the current thread, with or without the GIL. 0: it runs no Python; *lost then says
 * that this is not sure. */
static __always_inline u64 python_thread(const struct wick_python_layout *runtime, u64 self,
					 bool *lost)
{
	struct python_search search = {.runtime = runtime, .self = self};
	u64 thread = 0;

	/* First, since with several interpreters a thread has several states. */
	if (runtime->current_thread &&
	    read_runtime_word(runtime->address + runtime->current_thread, &thread) && thread &&
	    python_thread_is(runtime, thread, self))
		return thread;
	if (python_thread_value(runtime, self, &thread) &&
	    (!thread || python_thread_is(runtime, thread, self)))
		return thread;
	/* Memory that nobody has touched yet: the interpreter has not begun. */
	if (!read_runtime_word(runtime->address + runtime->interpreters, &search.interpreter))
		return 0;
	*lost = bpf_loop(PYTHON_MAX_THREADS, python_search_step, &search, 0) == PYTHON_MAX_THREADS;
	return search.found;
}

/* All frames since the last boundary belong into the C frame around `address`. */
static __always_inline void python_boundary(struct python_walk *walk, u64 address)
{
	u32 count = walk->stack->count;

	if (walk->first < count)
		walk->stack->bounds[walk->first & (WICK_RUNTIME_MAX_FRAMES - 1)] = address;
	walk->first = count;
}

static __always_inline u64 python_word(const struct wick_python_layout *runtime, u64 code,
				       u64 instruction)
{
	u64 index = (instruction - (code + runtime->code_start)) >> 1;

	if (!runtime_lines || index > WICK_PYTHON_NO_INSTRUCTION)
		index = WICK_PYTHON_NO_INSTRUCTION;
	return WICK_RUNTIME_FRAME |
	       code >> WICK_PYTHON_CODE_ALIGNMENT_BITS << WICK_PYTHON_INSTRUCTION_BITS | index;
}

static long python_step(u32 index, void *context)
{
	struct python_walk *walk = context;
	const struct wick_python_layout *runtime = walk->runtime;
	struct runtime_stack *stack = walk->stack;
	u32 at = stack->count;
	bool is_last;

	if (!walk->frame)
		return 1;
	if (bpf_probe_read_user(stack->frame, WICK_PYTHON_FRAME_BYTES, (void *)walk->frame)) {
		walk->unreadable = true;
		return 1;
	}
	is_last = ((u8 *)stack->frame)[runtime->boundary & 127] >= runtime->boundary_from;
	if (is_last && runtime->has_shims) {
		python_boundary(walk, walk->frame);
	} else {
		if (at < walk->limit) {
			at &= WICK_RUNTIME_MAX_FRAMES - 1;
			stack->words[at] =
			    python_word(runtime, stack->frame[(runtime->code >> 3) & 15],
					stack->frame[(runtime->instruction >> 3) & 15]);
			stack->bounds[at] = 0;
			stack->count = at + 1;
		}
		if (is_last) {
			python_boundary(walk, walk->cframe);
			if (!read_runtime_word(walk->cframe + runtime->cframe_previous,
					       &walk->cframe))
				walk->cframe = RUNTIME_NOWHERE;
		}
	}
	walk->frame = stack->frame[(runtime->previous >> 3) & 15];
	return 0;
}

static __always_inline void walk_python(struct python_walk *walk, u64 thread)
{
	const struct wick_python_layout *runtime = walk->runtime;

	if (!read_runtime_word(thread + runtime->thread_frame, &walk->frame))
		walk->unreadable = true;
	if (runtime->has_cframe) {
		walk->cframe = walk->frame;
		if (!read_runtime_word(walk->cframe + runtime->cframe_frame, &walk->frame))
			walk->unreadable = true;
	}
	if (!walk->unreadable)
		bpf_loop(PYTHON_MAX_STEPS, python_step, walk, 0);
	/* What is left over is of a C frame whose boundary was not reached. */
	python_boundary(walk, runtime->has_shims ? RUNTIME_NOWHERE : walk->cframe);
}

/* As read_runtime_stack(). A global function: the verifier looks at it once, and not once for each
 * way that leads to the native walk. */
__noinline int read_python_stack(u32 number, u32 limit, u32 kind);
__noinline int read_python_stack(u32 number, u32 limit, u32 kind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct python_walk walk = {.limit = limit};
	struct wick_runtime *runtime;
	bool lost = false;
	u64 thread;

	if (!runs_runtime(WICK_RUNTIME_PYTHON))
		return 0;
	runtime = bpf_map_lookup_elem(&runtime_entries, &number);
	walk.stack = bpf_map_lookup_elem(&runtime_scratch, &kind);
	if (!runtime || !walk.stack)
		return 0;
	walk.runtime = (const struct wick_python_layout *)runtime->layout;
	if (!walk.runtime->address)
		return 0;
	if (walk.limit > WICK_RUNTIME_MAX_FRAMES)
		walk.limit = WICK_RUNTIME_MAX_FRAMES;
	thread = python_thread(walk.runtime, task->thread.fsbase, &lost);
	if (thread)
		walk_python(&walk, thread);
	walk.stack->lost = lost << WICK_RUNTIME_NO_THREAD | walk.unreadable
								<< WICK_RUNTIME_UNREADABLE;
	return walk.stack->count;
}
