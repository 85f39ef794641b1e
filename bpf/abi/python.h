/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What the walk of CPython's own frames (bpf/lib/python.bpf.h) and user space
 * (src/tool/unwind/python_watch.*) agree on. */
#pragma once
#ifndef __bpf__
#include <linux/types.h>
#endif

/* A frame of Python code in a stack: no user address has bit 63 set.
 *
 *   63 │ address of the code object / 16: 43 bits │ instruction: 20 bits
 *
 * The instruction counts in units of two bytes; without --lines it is not told, so that stacks of
 * one function are one. */
#define WICK_PYTHON_FRAME (1ULL << 63)
enum {
	WICK_PYTHON_INSTRUCTION_BITS = 20,
	WICK_PYTHON_CODE_ALIGNMENT_BITS = 4,
	WICK_PYTHON_NO_INSTRUCTION = (1 << 20) - 1,
	/* Frames that are kept of a stack: as many as a stack may have. A power of two. */
	WICK_PYTHON_MAX_FRAMES = 512,
	/* Interpreters in memory at one time, of all processes together. Number 0 is nobody's. */
	WICK_PYTHON_RUNTIMES = 4096,
	/* Bytes of a frame that are read: all fields we need stand there. */
	WICK_PYTHON_FRAME_BYTES = 80,
};

/* Where in the memory of a process its interpreter is, and how that version lays things out.
 * Offsets are in bytes from the start of the struct in question. */
struct wick_python_runtime {
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

/* Why Python frames are missing. */
enum wick_python_loss {
	WICK_PYTHON_NO_THREAD,	/* the state of the thread was not found */
	WICK_PYTHON_UNREADABLE, /* memory of a frame could not be read */
	WICK_PYTHON_UNPLACED,	/* frames whose C frame the native walk did not meet */
	WICK_PYTHON_LOSSES,
	WICK_PYTHON_LOSS_SLOTS = 4, /* a power of two, as a bound */
};
