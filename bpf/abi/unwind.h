/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What the unwinder in BPF (bpf/lib/unwind.bpf.h) and user space (src/unwind) agree on: how to get
 * from a frame to its caller, row by row.
 *
 * A table is for one file: rows sorted by pc, each good until the next one's, and an index that
 * tells for every 256 bytes of code where in the rows to look. x86-64. */
#pragma once
#ifndef __bpf__
#include <linux/types.h>
#endif

enum wick_unwind_rule {
	WICK_UNWIND_END,      /* no caller: _start, the root of a thread */
	WICK_UNWIND_SP,	      /* CFA = sp + 8 * cfa, which is unsigned here: half a MB of stack */
	WICK_UNWIND_BP,	      /* CFA = bp + 8 * cfa */
	WICK_UNWIND_PLT,      /* CFA = sp + 8, and 8 more from byte `cfa` of the 16-byte stub on */
	WICK_UNWIND_SP_DEREF, /* CFA = *(sp + 8 * low byte of cfa) + 8 * signed high byte */
	WICK_UNWIND_BP_DEREF, /* CFA = *(bp + 8 * signed low byte) + 8 * signed high byte */
	WICK_UNWIND_SIGNAL,   /* all registers are in the signal frame at sp */
	WICK_UNWIND_UNSUPPORTED, /* there is a rule, but not one we can follow */
	WICK_UNWIND_GAP,	 /* between functions: nothing is known */
	/* CFA = sp + 8 * low byte of cfa; the return address is in a register (vfork), which is
	 * known at the leaf alone: the high byte is its place in pt_regs, in words */
	WICK_UNWIND_REGISTER,
	/* Go's runtime has changed stacks (src/unwind/go_switches.h). CFA = the other stack's sp
	 * + 8 * bits 8 to 11 of cfa. Of all but CGO: bits 12 to 15 tell where g is, in words
	 * below the thread pointer. */
	WICK_UNWIND_GO_SYSTEM,	 /* sp = g.m.curg.sched.sp; curg is word `low byte of cfa` of m */
	WICK_UNWIND_GO_GROW,	 /* likewise; CFA = sp, and pc = g.m.curg.sched.pc */
	WICK_UNWIND_GO_CALLBACK, /* sp = g.m.g0.sched.sp, and *sp what that was before */
	WICK_UNWIND_GO_VDSO,	 /* CFA = word `low byte of cfa` of g.m */
	WICK_UNWIND_GO_CGO,	 /* sp = g.stack.hi - depth, words `bits 0 to 3`, `4 to 7` at sp */
};

/* What the rules above know of g and m, the same since Go 1.18: checked in the program's code. */
enum {
	WICK_GO_G_STACK_HI = 8,
	WICK_GO_G_M = 48,
	WICK_GO_G_SCHED_SP = 56,
	WICK_GO_G_SCHED_PC = 64,
	WICK_GO_M_G0 = 0,
};

/* Where the caller's bp is: at CFA + 8 * bp, but for three values. */
enum {
	WICK_UNWIND_BP_SAME = 0,
	WICK_UNWIND_BP_AT_BP = 127, /* at *bp: stacks that were realigned */
	WICK_UNWIND_BP_LOST = -128,
};

struct wick_unwind_row {
	__u32 pc; /* from the table's base */
	__s16 cfa;
	__s8 bp;
	__u8 rule;
};

enum {
	WICK_UNWIND_PAGE_BITS = 8,
	/* ucontext of a signal frame: where the kernel saved what, from sp at sigreturn's call. */
	WICK_UNWIND_SIGNAL_BP = 120,
	WICK_UNWIND_SIGNAL_SP = 160,
	WICK_UNWIND_SIGNAL_IP = 168,
};

/* Where in the address space of a process the code of a file is, and how its callers are found. */
struct wick_unwind_mapping {
	__u64 start;
	__u64 end;
	__u32 delta;   /* pc - start + delta counts from the table's base; may wrap */
	__u32 span;    /* bytes the table covers from its base */
	__u32 segment; /* which of the maps of rows; WICK_UNWIND_NO_TABLE */
	__u32 rows;    /* first row in the segment, 8 bytes each */
	__u32 pages;   /* first word of the index, two pages each */
	__u32 used;    /* a walk came by since user space last set it to 0 */
};

enum {
	WICK_UNWIND_NO_TABLE = 0xFFFF,	 /* nothing is known of this file */
	WICK_UNWIND_WAITING = 0xFFFD,	 /* nothing yet: its table is in the making */
	WICK_UNWIND_BY_POINTER = 0xFFFE, /* it has frame pointers: Go, JIT code */
	WICK_UNWIND_SEGMENTS = 64,
	WICK_UNWIND_MAX_MAPPINGS = 1024, /* of one process */
};

/* The mappings of a process: a range of the array of all mappings, sorted by start. */
struct wick_unwind_process {
	__u32 first;
	__u32 count;
	__u32 list;    /* number of this list: no two are the same */
	__u32 runtime; /* its interpreter, a number of runtime_entries; 0: it has none */
};

/* A row that was found before. */
struct wick_unwind_recent {
	__u64 pc;
	__u32 list; /* of whose mappings; 0: nobody's */
	__u32 pad;
	struct wick_unwind_row row;
};

/* How a walk ended. */
enum wick_stop {
	WICK_STOP_ROOT,	      /* at the root: the table says that nobody called this function */
	WICK_STOP_CUT,	      /* at --max-depth */
	WICK_STOP_NO_PROCESS, /* the process was not known yet; frame pointers end somewhere */
	WICK_STOP_NO_TABLE, /* in a file without a table (yet), where frame pointers do not lead on
			     */
	WICK_STOP_NO_FILE,  /* outside of all known code, where frame pointers do not lead on */
	WICK_STOP_GAP,	    /* between the functions of a file, likewise */
	WICK_STOP_RULE,	    /* the table's rule is one we cannot follow */
	WICK_STOP_UNREADABLE, /* the stack's memory could not be read */
	WICK_STOP_BACKWARDS,  /* the caller's frame is not above: garbage, or a loop */
	WICK_STOP_POINTER,    /* in code that has frame pointers only (Go), and they end */
	WICK_STOP_ZERO, /* the return address is 0 where the table has one: a stack that somebody
			   made (a fiber), and not the root of a thread */
	WICK_STOPS,
	WICK_STOP_SLOTS = 16, /* a power of two: a mask is a bound that every verifier sees */
};
