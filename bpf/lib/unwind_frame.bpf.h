/* SPDX-License-Identifier: GPL-2.0 */
/* From a frame of the user stack to its caller, by tables (src/unwind):
 *
 *   pc > mapping (the last one again, or by search) > row (index of 256 bytes, then a short search)
 *      > CFA > return address and caller's bp, read from the stack
 *
 * Where there is no table (JIT code, Go, a file not read yet) or a gap in one, that one frame goes
 * by its frame pointer. Part of unwind.bpf.h. */
#pragma once

#include "bpf/abi/stacks.h"
#include "bpf/abi/unwind.h"
#include "bpf/lib/unwind_rows.bpf.h"
#include "bpf/lib/word_log.bpf.h"
#include "bpf/runtime/runtime.bpf.h"

/* Off: frame pointers alone, and none of what follows is verified or run. */
const volatile bool unwind_by_tables = false;
/* Frame pointers where there is no table. */
const volatile bool unwind_pointers = true;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, u32); /* tgid, as the caller's PID namespace sees it */
	__type(value, struct wick_unwind_process);
} unwind_processes SEC(".maps");

/* The lists of all processes. User space writes it by mmap: a new list first, then its place. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wick_unwind_mapping);
} unwind_mappings SEC(".maps");

/* Stacks are much alike: a caller's row was most likely found for the last sample too. Each kind of
 * program (stacks.bpf.h) has its own part, so that none finds what another is about to write. */
#ifndef UNWIND_RECENT_BITS
#define UNWIND_RECENT_BITS 10
#endif
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4 << UNWIND_RECENT_BITS);
	__type(key, u32);
	__type(value, struct wick_unwind_recent);
} unwind_recent SEC(".maps");

/* Where a walk stands. In a map, not on the stack: the verifier takes what it reads from there for
 * anything, and so looks at a step twice, not once for each combination of what is known. */
struct unwind_walk {
	u64 pc;
	u64 sp;
	u64 bp;
	u32 begin; /* frames[begin] is the leaf */
	u32 depth;
	u32 limit;
	u32 stop;
	u32 by_table;	   /* frames whose caller a table told */
	u32 by_pointer;	   /* and those a frame pointer told */
	u32 doubt;	   /* why a frame pointer told the last caller; 0: a table did */
	u32 exact;	   /* 1: a signal interrupted the frame right at pc; no call is before it */
	u32 lacking;	   /* a frame went without what user space may know a moment later */
	u32 recent;	   /* which part of unwind_recent is this walk's */
	u32 placing;	   /* interpreted frames are being put in */
	u64 runtime_bound; /* an address in the C frame that the next of them belong into */
	struct {
		u64 ip;
		u64 sp;
		u64 bp;
		u64 exact; /* ip is no return address */
	} leaf;		   /* where it began */
	u64 go_sp;	   /* m.g0.sched.sp as it was for the frames from here on; 0: as it is */
	u64 go_cfa;	   /* these three: what unwind_go() works with */
	u64 go_word;
	struct wick_unwind_row go_row;
	struct wick_unwind_process process;
	struct wick_unwind_mapping mapping; /* the last frame's: the next one is often there too */
};
/* One for each kind of program, as with `scratch`. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4);
	__type(key, u32);
	__type(value, struct unwind_walk);
} unwind_scratch SEC(".maps");

/* What a step of the walk has to do with. */
struct unwind_context {
	struct unwind_walk *walk;
	struct wick_stack_record *record;
	struct runtime_stack *runtime; /* frames to put in; set when `runtimes` is */
	struct task_struct *other;     /* whose stack it is, when not the current task's */
	struct word_log *log;	       /* what the walk depends on; 0: nobody asks */
	u64 log_base;
};

/* The last mapping that begins at or below `pc`. False: there is none, or it ends before. */
static __always_inline bool find_unwind_mapping(struct unwind_walk *walk, u64 pc)
{
	u32 low = walk->process.first, left = walk->process.count;
	struct wick_unwind_mapping *found;

	if (pc >= walk->mapping.start && pc < walk->mapping.end)
		return true;
	/* Halves the range without a branch: the verifier sees one path. 2^10 is the most. */
	WICK_ROLLED_LOOP
	for (int i = 0; i < 10; i++) {
		u32 half = left >> 1, middle = low + half;

		if (!half)
			break;
		found = bpf_map_lookup_elem(&unwind_mappings, &middle);
		if (!found)
			return false;
		low += half & ~(u32)((s64)(pc - found->start) >> 63);
		left -= half;
	}
	found = bpf_map_lookup_elem(&unwind_mappings, &low);
	if (!found || pc < found->start || pc >= found->end)
		return false;
	walk->mapping = *found;
	/* Most find it set: then nobody's cache line is written to. */
	if (!found->used)
		found->used = 1;
	return true;
}

/* Up to two words of the stack that is walked. True: they could be read. */
static __always_inline bool read_words(struct unwind_context *context, u64 *to, u32 count,
				       u64 address)
{
	long failed;

	if (context->other)
		failed = bpf_copy_from_user_task(to, count * sizeof(u64), (void *)address,
						 context->other, 0);
	else
		failed = bpf_probe_read_user(to, count * sizeof(u64), (void *)address);
	if (failed)
		return false;
	if (context->log) {
		u64 at = (address - context->log_base) / sizeof(u64);

		log_word(context->log, at, to[0]);
		if (count > 1)
			log_word(context->log, at + 1, to[1]);
	}
	return true;
}

static __always_inline bool read_word(struct unwind_context *context, u64 address, u64 *word)
{
	return read_words(context, word, 1, address);
}

static __always_inline long unwind_stop(struct unwind_walk *walk, enum wick_stop why)
{
	walk->stop = why;
	return 1;
}

/* From a frame to its caller by the frame pointer; `why` is told if that leads nowhere. */
static __always_inline long unwind_by_pointer(struct unwind_context *context, enum wick_stop why)
{
	struct unwind_walk *walk = context->walk;
	u64 frame[2]; /* the caller's frame pointer, the return address */

	/* Below the stack pointer it belongs to nobody. */
	if (!unwind_pointers || walk->bp < walk->sp || !read_words(context, frame, 2, walk->bp))
		return unwind_stop(walk, why);
	/* No root: garbage in bp (LuaJIT's traces) finds zeros too. */
	if (!frame[1])
		return unwind_stop(walk, why);
	walk->sp = walk->bp + 16;
	walk->bp = frame[0];
	walk->pc = frame[1];
	walk->by_pointer++;
	walk->doubt = why;
	return 0;
}

/* A signal handler's caller is the kernel: what it interrupted is all in the frame. */
static __always_inline long unwind_signal(struct unwind_context *context)
{
	struct unwind_walk *walk = context->walk;
	u64 sp = walk->sp;

	if (!read_word(context, sp + WICK_UNWIND_SIGNAL_IP, &walk->pc) ||
	    !read_word(context, sp + WICK_UNWIND_SIGNAL_BP, &walk->bp) ||
	    !read_word(context, sp + WICK_UNWIND_SIGNAL_SP, &walk->sp))
		return unwind_stop(walk, WICK_STOP_UNREADABLE);
	walk->by_table++;
	walk->exact = 1;
	return 0;
}

/* The return address is in a register: known where the walk begins, not above. */
static __always_inline long unwind_by_register(struct unwind_context *context,
					       struct wick_unwind_row row)
{
	struct unwind_walk *walk = context->walk;
	struct task_struct *task = context->other ?: bpf_get_current_task_btf();
	u64 *saved = (u64 *)bpf_task_pt_regs(task), pc = 0;
	u32 at = (u8)(row.cfa >> 8);

	if (walk->by_table | walk->by_pointer || at * sizeof(u64) >= sizeof(struct pt_regs))
		return unwind_stop(walk, WICK_STOP_RULE);
	if (bpf_probe_read_kernel(&pc, sizeof(pc), saved + at))
		return unwind_stop(walk, WICK_STOP_UNREADABLE);
	if (!pc)
		return unwind_stop(walk, WICK_STOP_ZERO);
	/* The next walk from here may find another value, and the log is of memory. */
	if (context->log)
		forget_log(context->log);
	walk->sp += 8 * (u64)(u8)row.cfa;
	walk->pc = pc;
	walk->by_table++;
	return 0;
}

static __always_inline bool unwind_cfa(struct unwind_context *context, struct wick_unwind_row row,
				       u64 *cfa)
{
	struct unwind_walk *walk = context->walk;

	switch (row.rule) {
	case WICK_UNWIND_SP:
		*cfa = walk->sp + 8 * (u64)(u16)row.cfa;
		return true;
	case WICK_UNWIND_BP:
		*cfa = walk->bp + 8 * (s64)row.cfa;
		return true;
	case WICK_UNWIND_PLT:
		*cfa = walk->sp + 8 + ((walk->pc & 15) >= (u64)row.cfa ? 8 : 0);
		return true;
	case WICK_UNWIND_SP_DEREF:
		if (!read_word(context, walk->sp + 8 * (u64)(u8)row.cfa, cfa))
			return false;
		*cfa += 8 * (s64)(s8)(row.cfa >> 8);
		return true;
	case WICK_UNWIND_BP_DEREF:
		if (!read_word(context, walk->bp + 8 * (s64)(s8)row.cfa, cfa))
			return false;
		*cfa += 8 * (s64)(s8)(row.cfa >> 8);
		return true;
	default:
		return false;
	}
}

/* Where g is: by the thread pointer of whose stack is walked. */
static __always_inline u64 go_g_address(struct unwind_context *context)
{
	struct task_struct *task = context->other ? context->other : bpf_get_current_task_btf();

	return task->thread.fsbase - 8 * (u64)((u16)context->walk->go_row.cfa >> 12);
}

static __always_inline u64 go_words_up(const struct unwind_walk *walk)
{
	return 8 * (u64)((u16)walk->go_row.cfa >> 8 & 15);
}

/* Where Go's runtime changed stacks: the CFA on the one it came from, in walk->go_cfa. 0 there: it
 * came from none, as the scheduler does between two goroutines. The row and what is read on the
 * way are kept in the walk: 24 bytes more of stack are too much for the callers on 6.1. */
static __always_inline bool unwind_go_cfa(struct unwind_context *context)
{
	struct unwind_walk *walk = context->walk;
	u64 *word = &walk->go_word, *cfa = &walk->go_cfa;

	if (walk->go_row.rule == WICK_UNWIND_GO_CGO) {
		if (!read_word(context, walk->sp + 8 * (u64)(walk->go_row.cfa & 15), word) ||
		    !read_word(context, *word + WICK_GO_G_STACK_HI, cfa) ||
		    !read_word(context, walk->sp + 8 * (u64)(walk->go_row.cfa >> 4 & 15), word))
			return false;
		*cfa += go_words_up(walk) - *word;
		return true;
	}
	if (walk->go_row.rule == WICK_UNWIND_GO_CALLBACK && walk->go_sp) {
		*cfa = walk->go_sp + go_words_up(walk);
		return read_word(context, walk->go_sp, &walk->go_sp);
	}
	/* g, m, and what m has: the word that is asked for, or another g. */
	if (!read_word(context, go_g_address(context), word) ||
	    !read_word(context, *word + WICK_GO_G_M, word) ||
	    !read_word(context,
		       *word + (walk->go_row.rule == WICK_UNWIND_GO_CALLBACK
				    ? WICK_GO_M_G0
				    : 8 * (u64)(u8)walk->go_row.cfa),
		       word))
		return false;
	*cfa = *word;
	if (!*word || walk->go_row.rule == WICK_UNWIND_GO_VDSO)
		return true;
	if (!read_word(context, *word + WICK_GO_G_SCHED_SP, cfa))
		return false;
	if (walk->go_row.rule == WICK_UNWIND_GO_CALLBACK && !read_word(context, *cfa, &walk->go_sp))
		return false;
	*cfa += go_words_up(walk);
	return walk->go_row.rule != WICK_UNWIND_GO_GROW ||
	       read_word(context, *word + WICK_GO_G_SCHED_PC, &walk->pc);
}

/* The caller is on another stack. */
static __always_inline long unwind_go(struct unwind_context *context, struct wick_unwind_row row)
{
	struct unwind_walk *walk = context->walk;

	walk->go_row = row;
	if (!unwind_go_cfa(context))
		return unwind_stop(walk, WICK_STOP_UNREADABLE);
	if (!walk->go_cfa)
		return unwind_stop(walk, WICK_STOP_ROOT);
	if (walk->go_row.rule != WICK_UNWIND_GO_GROW &&
	    !read_word(context, walk->go_cfa - 8, &walk->pc))
		return unwind_stop(walk, WICK_STOP_UNREADABLE);
	if (walk->go_row.bp == -2 && !read_word(context, walk->go_cfa - 16, &walk->bp))
		return unwind_stop(walk, WICK_STOP_UNREADABLE);
	walk->sp = walk->go_cfa;
	walk->doubt = 0;
	walk->by_table++;
	return 0;
}

static __always_inline long unwind_by_rare_row(struct unwind_context *context,
					       struct wick_unwind_row row)
{
	switch (row.rule) {
	case WICK_UNWIND_SIGNAL:
		return unwind_signal(context);
	case WICK_UNWIND_GAP:
		return unwind_by_pointer(context, WICK_STOP_GAP);
	case WICK_UNWIND_REGISTER:
		return unwind_by_register(context, row);
	case WICK_UNWIND_UNSUPPORTED:
		return unwind_stop(context->walk, WICK_STOP_RULE);
	default:
		return unwind_go(context, row);
	}
}

static __always_inline long unwind_by_row(struct unwind_context *context,
					  struct wick_unwind_row row)
{
	struct unwind_walk *walk = context->walk;
	u64 cfa, pc, bp = walk->bp, both[2];

	/* The only root there is: a rule of the table. A zero for a return address or a bp is none,
	 * since fibers, garbage and a bp that was lost have them too. */
	if (row.rule == WICK_UNWIND_END)
		return unwind_stop(walk, WICK_STOP_ROOT);
	if (row.rule >= WICK_UNWIND_SIGNAL)
		return unwind_by_rare_row(context, row);
	if (!unwind_cfa(context, row, &cfa))
		return unwind_stop(walk, WICK_STOP_UNREADABLE);
	/* Stacks grow down. */
	if (cfa <= walk->sp)
		return unwind_stop(walk, WICK_STOP_BACKWARDS);
	/* Most functions push bp first, right below the return address: one read for both. */
	if (row.bp == -2) {
		if (!read_words(context, both, 2, cfa - sizeof(both)))
			return unwind_stop(walk, WICK_STOP_UNREADABLE);
		bp = both[0];
		pc = both[1];
	} else {
		if (!read_word(context, cfa - 8, &pc))
			return unwind_stop(walk, WICK_STOP_UNREADABLE);
		if (row.bp == WICK_UNWIND_BP_LOST)
			bp = 0;
		else if (row.bp != WICK_UNWIND_BP_SAME &&
			 !read_word(context,
				    row.bp == WICK_UNWIND_BP_AT_BP ? bp : cfa + 8 * (s64)row.bp,
				    &bp))
			return unwind_stop(walk, WICK_STOP_UNREADABLE);
	}
	if (!pc)
		return unwind_stop(walk, WICK_STOP_ZERO);
	walk->sp = cfa;
	walk->bp = bp;
	walk->pc = pc;
	walk->doubt = 0;
	walk->by_table++;
	return 0;
}

static __always_inline struct wick_unwind_recent *recent_row(struct unwind_walk *walk, u64 pc)
{
	u32 at = (u32)((pc * 0x9E3779B97F4A7C15ULL) >> (64 - UNWIND_RECENT_BITS)) |
		 walk->recent << UNWIND_RECENT_BITS;

	return bpf_map_lookup_elem(&unwind_recent, &at);
}

/* As unwind_by_pointer(), where user space has not told yet what it may know a moment later. */
static __always_inline long unwind_lacking(struct unwind_context *context, enum wick_stop why)
{
	context->walk->lacking = 1;
	return unwind_by_pointer(context, why);
}

/* Finds the caller of the frame the walk stands at. */
static __always_inline long unwind_frame(struct unwind_context *context)
{
	struct unwind_walk *walk = context->walk;
	/* All but the leaf, and what a signal interrupted, are return addresses: the call before
	 * them counts. */
	u64 pc = walk->pc - 1 + walk->exact;
	struct wick_unwind_row row = {};
	struct wick_unwind_recent *recent;
	u32 from_base;

	walk->exact = 0;
	if (!walk->process.count)
		return unwind_lacking(context, WICK_STOP_NO_PROCESS);
	recent = recent_row(walk, pc);
	if (recent && recent->pc == pc && recent->list == walk->process.list)
		return unwind_by_row(context, recent->row);
	if (!find_unwind_mapping(walk, pc))
		/* A frame pointer that was none leads anywhere: then the last frame is to blame. */
		return walk->doubt ? unwind_by_pointer(context, walk->doubt)
				   : unwind_lacking(context, WICK_STOP_NO_FILE);
	if (walk->mapping.segment >= WICK_UNWIND_SEGMENTS) {
		walk->lacking |= walk->mapping.segment == WICK_UNWIND_WAITING;
		return unwind_by_pointer(context, walk->mapping.segment == WICK_UNWIND_BY_POINTER
						      ? WICK_STOP_POINTER
						      : WICK_STOP_NO_TABLE);
	}
	from_base = (u32)(pc - walk->mapping.start) + walk->mapping.delta;
	if (from_base >= walk->mapping.span)
		return unwind_by_pointer(context, WICK_STOP_GAP);
	if (!find_unwind_row(&walk->mapping, from_base, &row))
		return unwind_lacking(context, WICK_STOP_NO_TABLE);
	if (recent)
		*recent =
		    (struct wick_unwind_recent){.pc = pc, .list = walk->process.list, .row = row};
	return unwind_by_row(context, row);
}
