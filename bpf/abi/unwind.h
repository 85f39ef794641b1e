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
	WICK_UNWIND_END,	 /* no caller: _start, the root of a thread */
	WICK_UNWIND_SP,		 /* CFA = sp + 8 * cfa */
	WICK_UNWIND_BP,		 /* CFA = bp + 8 * cfa */
	WICK_UNWIND_PLT,	 /* CFA = sp + 8, and 8 more from byte `cfa` of the 16-byte stub on */
	WICK_UNWIND_SP_DEREF,	 /* CFA = *(sp + 8 * low byte of cfa) + 8 * signed high byte */
	WICK_UNWIND_BP_DEREF,	 /* CFA = *(bp + 8 * signed low byte) + 8 * signed high byte */
	WICK_UNWIND_SIGNAL,	 /* all registers are in the signal frame at sp */
	WICK_UNWIND_UNSUPPORTED, /* there is a rule, but not one we can follow */
	WICK_UNWIND_GAP,	 /* between functions: nothing is known */
};

/* Where the caller's bp is: at CFA + 8 * bp, but for three values. */
enum {
	WICK_UNWIND_BP_SAME = 0,
	WICK_UNWIND_BP_AT_BP = 127,  /* at *bp: stacks that were realigned */
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
