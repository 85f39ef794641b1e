/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What the walk of CRuby's own frames (bpf/runtime/ruby.bpf.h) and user space (src/runtime/ruby)
 * agree on. */
#pragma once
#ifndef __bpf__
#include <linux/types.h>
#endif

/* The word of a Ruby frame:
 *
 *   63 │ 62: a C function │ address / 8: 44 bits │ instruction: 18 bits
 *
 * The address is that of the instruction sequence, or of a C function's method entry. The
 * instruction counts words from the sequence's first; without --lines it is not reported, so that
 * stacks of one function are one. */
#define WICK_RUBY_CFUNC (1ULL << 62)
enum {
	WICK_RUBY_INSTRUCTION_BITS = 18,
	WICK_RUBY_NO_INSTRUCTION = (1 << 18) - 1,
	WICK_RUBY_ADDRESS_SHIFT = 3,
};

/* Where in the memory of a process its interpreter is, and how that version lays things out.
 * Offsets are in bytes from the start of the struct in question. */
struct wick_ruby_layout {
	__u64 tls_index; /* {module, offset} of ruby_current_ec, which the linker filled in */
	__u64 exec;	 /* rb_vm_exec, whose C frame runs Ruby frames */
	__u32 exec_bytes;
	__u32 frame_bytes; /* of rb_control_frame_t */
	__u8 stack;	   /* in rb_execution_context_t */
	__u8 stack_words;
	__u8 frame;
	__u8 tag;
	__u8 fiber;
	__u8 thread;
	__u8 thread_context; /* in rb_thread_t: leads back to the context */
	__u8 tag_label;	     /* in rb_vm_tag: where a jump to it goes on */
	__u8 tag_previous;
	__u8 pc; /* in a control frame */
	__u8 code;
	__u8 environment;
	__u8 code_body;	 /* in rb_iseq_t */
	__u8 body_start; /* in its body: the first instruction */
	__u8 pad[2];
};
