/* SPDX-License-Identifier: GPL-2.0 */
/* A walk up the user stack, frame by frame (unwind_frame.bpf.h), with a runtime's frames in the
 * places of its interpreter's (bpf/runtime). Used by every tool that takes user stacks. */
#pragma once

#include "bpf/lib/unwind_frame.bpf.h"
#include "bpf/runtime/runtimes.bpf.h"

/* A step a frame, and one more for each C frame that interpreted frames take the place of. */
enum { UNWIND_MAX_STEPS = 2 * WICK_MAX_DEPTH };

static __always_inline long push_frame(struct unwind_context *context, u64 word)
{
	struct unwind_walk *walk = context->walk;
	u32 depth = walk->depth, at = walk->begin + depth;

	if (depth >= walk->limit || at >= 2 * WICK_MAX_DEPTH)
		return unwind_stop(walk, WICK_STOP_CUT);
	context->record->frames[at & (2 * WICK_MAX_DEPTH - 1)] = word;
	walk->depth = depth + 1;
	return 0;
}

/* Puts one interpreted frame in. The last one of its C frame ends the placing. */
static __always_inline long place_runtime(struct unwind_context *context)
{
	struct unwind_walk *walk = context->walk;
	struct runtime_stack *stack = context->runtime;
	u64 bound = RUNTIME_NOWHERE;
	u32 at = stack->placed;

	if (push_frame(context, stack->words[at & (WICK_RUNTIME_MAX_FRAMES - 1)]))
		return 1;
	stack->placed = ++at;
	if (at < stack->count)
		bound = stack->bounds[at & (WICK_RUNTIME_MAX_FRAMES - 1)];
	if (bound) {
		walk->runtime_bound = bound;
		walk->placing = bound < walk->sp;
	}
	return 0;
}

static long place_runtime_step(u32 index, void *context)
{
	return !((struct unwind_context *)context)->walk->placing || place_runtime(context);
}

/* One frame more; interpreted ones come one by one too, so that the verifier sees no loop in a
 * loop. */
static __always_inline long unwind_one_step(struct unwind_context *context)
{
	struct unwind_walk *walk = context->walk;
	u64 sp = walk->sp;

	if (runtimes && walk->placing) {
		if (place_runtime(context))
			return 1;
		if (walk->placing)
			return 0;
	} else {
		if (unwind_frame(context))
			return 1;
		/* The C frame from `sp` on, which was just left, is where the next interpreted
		 * frames belong: they take its place. If it was stepped over (frame pointers do
		 * that), they come after. */
		if (runtimes && walk->runtime_bound < walk->sp) {
			walk->depth -= walk->runtime_bound >= sp;
			walk->placing = 1;
			return 0;
		}
	}
	/* User space takes one off all but the leaf, to point at the call. */
	return push_frame(context, walk->pc + walk->exact);
}

static long unwind_step(u32 index, void *data)
{
	/* A copy, whose every word clang keeps track of: so it leaves out what only a program that
	 * may sleep can call. */
	struct unwind_context context = *(struct unwind_context *)data;

	context.other = 0;
	return unwind_one_step(&context);
}

static __always_inline void begin_runtime(struct unwind_context *context)
{
	struct unwind_walk *walk = context->walk;
	struct runtime_stack *stack = context->runtime;

	stack->count = 0;
	stack->placed = 0;
	if (walk->process.runtime &&
	    read_runtime_stack(stack, walk->process.runtime, walk->limit, walk->recent) > 0)
		walk->runtime_bound = stack->bounds[0];
}

/* Where the native walk stopped early, the interpreted frames above that are known all the same. */
static __always_inline void end_runtime(struct unwind_context *context,
					struct wick_stack_totals *sum)
{
	struct unwind_walk *walk = context->walk;
	struct runtime_stack *stack = context->runtime;
	struct wick_runtime_totals *of_kind;

	if (!walk->process.runtime)
		return;
	of_kind = &sum->runtimes[stack->kind & (WICK_RUNTIME_SLOTS - 1)];
	if (stack->placed < stack->count && walk->stop != WICK_STOP_CUT) {
		walk->sp = RUNTIME_NOWHERE;
		walk->placing = walk->stop != WICK_STOP_ROOT;
		of_kind->losses[WICK_RUNTIME_UNPLACED] += !walk->placing;
		bpf_loop(WICK_MAX_DEPTH, place_runtime_step, context, 0);
	}
	if (stack->placed)
		context->record->runtime = walk->process.runtime;
	of_kind->frames += stack->placed;
	of_kind->losses[WICK_RUNTIME_NO_THREAD] += stack->lost >> WICK_RUNTIME_NO_THREAD & 1;
	of_kind->losses[WICK_RUNTIME_UNREADABLE] += stack->lost >> WICK_RUNTIME_UNREADABLE & 1;
}

/* Walks up from where `walk` stands; what came out is there too. `log`: what that depends on. */
static __always_inline void unwind(struct unwind_walk *walk, struct wick_stack_record *record,
				   struct wick_stack_totals *sum, struct word_log *log)
{
	struct unwind_context context = {
	    .walk = walk, .record = record, .log = log, .log_base = walk->sp};
	u32 tgid = record->tgid;
	struct wick_unwind_process *process = bpf_map_lookup_elem(&unwind_processes, &tgid);

	if (process)
		walk->process = *process;
	if (runtimes) {
		context.runtime = bpf_map_lookup_elem(&runtime_scratch, &walk->recent);
		if (!context.runtime)
			return;
		begin_runtime(&context);
	}
	bpf_loop(UNWIND_MAX_STEPS, unwind_step, &context, 0);
	if (runtimes)
		end_runtime(&context, sum);
	/* Interpreted frames are not on the stack. */
	if (log && runtimes && walk->process.runtime)
		forget_log(log);
}
