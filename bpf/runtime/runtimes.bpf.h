/* SPDX-License-Identifier: GPL-2.0 */
/* Every runtime's walker, and which of them reads a stack. A new runtime is an #include and a case.
 */
#pragma once

#include "bpf/runtime/python.bpf.h"

/* Reads the interpreted frames of the current task into the buffer of this kind of program, `limit`
 * at most. Returns how many; what went wrong is in its `lost`. */
static __always_inline int read_runtime_stack(struct runtime_stack *stack, u32 number, u32 limit,
					      u32 scratch_kind)
{
	struct wick_runtime *runtime = bpf_map_lookup_elem(&runtime_entries, &number);

	stack->lost = 0;
	if (!runtime)
		return 0;
	stack->kind = runtime->kind;
	if (runs_runtime(WICK_RUNTIME_PYTHON) && stack->kind == WICK_RUNTIME_PYTHON)
		return read_python_stack(number, limit, scratch_kind);
	return 0;
}
