/* SPDX-License-Identifier: GPL-2.0 */
/* A walk up the user stack, frame by frame (unwind_frame.bpf.h), with Python's frames in the places
 * of the interpreter's (python.bpf.h). Used by every tool that takes user stacks. */
#pragma once

#include "bpf/lib/unwind_frame.bpf.h"

/* A step a frame, and one more for each C frame that Python frames take the place of. */
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

/* Puts one Python frame in. The last one of its C frame ends the placing. */
static __always_inline long place_python(struct unwind_context *context)
{
	struct unwind_walk *walk = context->walk;
	struct python_stack *python = context->python;
	u64 bound = PYTHON_NOWHERE;
	u32 at = python->placed;

	if (push_frame(context, python->words[at & (WICK_PYTHON_MAX_FRAMES - 1)]))
		return 1;
	python->placed = ++at;
	if (at < python->count)
		bound = python->bounds[at & (WICK_PYTHON_MAX_FRAMES - 1)];
	if (bound) {
		walk->python_bound = bound;
		walk->placing = bound < walk->sp;
	}
	return 0;
}

static long place_python_step(u32 index, void *context)
{
	return !((struct unwind_context *)context)->walk->placing || place_python(context);
}

/* One frame more; Python's come one by one too, so that the verifier sees no loop in a loop. */
static __always_inline long unwind_one_step(struct unwind_context *context)
{
	struct unwind_walk *walk = context->walk;
	u64 sp = walk->sp;

	if (python_frames && walk->placing) {
		if (place_python(context))
			return 1;
		if (walk->placing)
			return 0;
	} else {
		if (unwind_frame(context))
			return 1;
		/* The C frame from `sp` on, which was just left, is where the next Python frames
		 * belong: they take its place. If it was stepped over (frame pointers do that),
		 * they come after. */
		if (python_frames && walk->python_bound < walk->sp) {
			walk->depth -= walk->python_bound >= sp;
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

static __always_inline void begin_python(struct unwind_context *context)
{
	struct unwind_walk *walk = context->walk;

	context->python->count = 0;
	context->python->placed = 0;
	if (walk->process.python &&
	    read_python_stack(walk->process.python, walk->limit, walk->recent) > 0)
		walk->python_bound = context->python->bounds[0];
}

/* Where the native walk stopped early, the Python frames above that are known all the same. */
static __always_inline void end_python(struct unwind_context *context,
				       struct wick_stack_totals *sum)
{
	struct unwind_walk *walk = context->walk;
	struct python_stack *python = context->python;

	if (!walk->process.python)
		return;
	if (python->placed < python->count && walk->stop != WICK_STOP_CUT) {
		walk->sp = PYTHON_NOWHERE;
		walk->placing = walk->stop != WICK_STOP_ROOT;
		sum->python_losses[WICK_PYTHON_UNPLACED] += !walk->placing;
		bpf_loop(WICK_MAX_DEPTH, place_python_step, context, 0);
	}
	if (python->placed)
		context->record->python = walk->process.python;
	sum->python_frames += python->placed;
	sum->python_losses[WICK_PYTHON_NO_THREAD] += python->lost >> WICK_PYTHON_NO_THREAD & 1;
	sum->python_losses[WICK_PYTHON_UNREADABLE] += python->lost >> WICK_PYTHON_UNREADABLE & 1;
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
	if (python_frames) {
		context.python = bpf_map_lookup_elem(&python_scratch, &walk->recent);
		if (!context.python)
			return;
		begin_python(&context);
	}
	bpf_loop(UNWIND_MAX_STEPS, unwind_step, &context, 0);
	if (python_frames)
		end_python(&context, sum);
	/* Python's frames are not on the stack. */
	if (log && python_frames && walk->process.python)
		forget_log(log);
}
