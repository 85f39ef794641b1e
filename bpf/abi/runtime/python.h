/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What the walk of CPython's own frames (bpf/runtime/python.bpf.h) and user
 * space (src/runtime/python) agree on. */
#pragma once
#ifndef __bpf__
#include <linux/types.h>
#endif

/* The word of a Python frame:
 *
 *   63 │ address of the code object / 16: 43 bits │ instruction: 20 bits
 *
 * The instruction counts in units of two bytes; without --lines it is not reported, so that stacks
 * of one function are one. */
enum {
	WICK_PYTHON_INSTRUCTION_BITS = 20,
	WICK_PYTHON_CODE_ALIGNMENT_BITS = 4,
	WICK_PYTHON_NO_INSTRUCTION = (1 << 20) - 1,
	/* Bytes of a frame that are read: all fields we need stand there. */
	WICK_PYTHON_FRAME_BYTES = 80,
};

/* Where in the memory of a process its interpreter is, and how that version lays things out.
 * Offsets are in bytes from the start of the struct in question. */
struct wick_python_layout {
	__u64 address;	      /* of _PyRuntime */
	__u32 thread_key;     /* in _PyRuntime: the pthread key under which a thread keeps its
				 state; 0: not to be used, look through all threads */
	__u32 current_thread; /* in _PyRuntime: the thread with the GIL; 0: not there */
	__u32 interpreters;   /* in _PyRuntime: the first interpreter */
	__u32 next_interpreter;
	__u32 threads; /* in an interpreter: the first thread */
	__u32 next_thread;
	__u32 thread_id; /* in a thread: pthread_self() */
	__u32 thread_frame;
	__u32 cframe_frame; /* in what thread_frame leads to, when has_cframe */
	__u32 cframe_previous;
	__u32 code_start; /* in a code object: its first instruction */
	__u8 has_cframe;
	__u8 has_shims; /* a frame without Python code stands for each C frame of the interpreter */
	__u8 code;	/* these are in a frame */
	__u8 previous;
	__u8 instruction;
	__u8 boundary; /* a byte: at least boundary_from in the last frame of a C frame */
	__u8 boundary_from;
	__u8 pad[5];
};
