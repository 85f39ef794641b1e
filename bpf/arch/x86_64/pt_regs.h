/* SPDX-License-Identifier: GPL-2.0 */
/* What a perf_event program gets of the interrupted registers. The kernel rewrites these accesses
 * by their UAPI offset, so this struct is whole and not relocated. */
#pragma once

struct pt_regs {
	u64 r15, r14, r13, r12, bp, bx;
	u64 r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	u64 ip, cs, flags, sp, ss;
};
