/* SPDX-License-Identifier: GPL-2.0 */
/* Hooks on kernel functions, for what no tracepoint tells. Each makes two programs, one for fentry
 * and one for kprobes; user space (src/tool/hooks.h) loads what the kernel can do.
 *
 *   WICK_ON_ENTRY(vfs_read, struct file *file, void *to, u64 count)   // the function's arguments
 *   {
 *           ... bpf_get_current_task_btf() ...
 *           return 0;
 *   }
 *   WICK_ON_EXIT(vfs_read)                                            // its result is `result`
 *   {
 *           return result < 0 ? failed() : 0;
 *   }
 *
 *   WICK_ON_MANY(count_call)              // the functions user space chose: `which` of them it is
 *   {
 *           return count(which);
 *   }
 *
 * Pointers among the arguments are read by BPF_CORE_READ: a kprobe knows no types. A program with
 * `instead_` in front of its name (SEC("wick_tp/...")) is for kernels that have neither; one with
 * `rather_` is taken instead of the functions where the kernel has that tracepoint. */
#pragma once

#include "bpf/arch/arguments.bpf.h"

#define WICK_ON_ENTRY(function, args...)                                                           \
	static __always_inline int enter_##function(void *ctx, ##args);                            \
	_Pragma("GCC diagnostic push");                                                            \
	_Pragma("GCC diagnostic ignored \"-Wint-conversion\"");                                    \
	SEC("wick_fentry/" #function)                                                              \
	int fentry_##function(unsigned long long *ctx)                                             \
	{                                                                                          \
		return enter_##function(___bpf_ctx_cast(args));                                    \
	}                                                                                          \
	SEC("kprobe/" #function)                                                                   \
	int kprobe_##function(struct pt_regs *ctx)                                                 \
	{                                                                                          \
		return enter_##function(WICK_REGISTER_ARGS(args));                                 \
	}                                                                                          \
	_Pragma("GCC diagnostic pop");                                                             \
	static __always_inline int enter_##function(void *ctx, ##args)

/* Calls leave_FUNCTION(ctx, result). */
#define WICK_FEXIT_PROGRAM(function)                                                               \
	SEC("wick_fexit/" #function)                                                               \
	int fexit_##function(unsigned long long *ctx)                                              \
	{                                                                                          \
		u64 result = 0;                                                                    \
                                                                                                   \
		bpf_get_func_ret(ctx, &result);                                                    \
		return leave_##function(ctx, result);                                              \
	}

#define WICK_ON_EXIT(function)                                                                     \
	static __always_inline int leave_##function(void *ctx, long result);                       \
	WICK_FEXIT_PROGRAM(function)                                                               \
	SEC("kretprobe/" #function)                                                                \
	int kretprobe_##function(struct pt_regs *ctx)                                              \
	{                                                                                          \
		return leave_##function(ctx, RESULT_OF(ctx));                                      \
	}                                                                                          \
	static __always_inline int leave_##function(void *ctx, long result)

/* For src/kernel/probe/kprobe_multi.h: one link for all, or one each. */
#define WICK_ON_MANY(name)                                                                         \
	static __always_inline int name(void *ctx, u64 which);                                     \
	SEC("kprobe.multi")                                                                        \
	int multi_##name(struct pt_regs *ctx)                                                      \
	{                                                                                          \
		return name(ctx, bpf_get_attach_cookie(ctx));                                      \
	}                                                                                          \
	SEC("kprobe")                                                                              \
	int each_##name(struct pt_regs *ctx)                                                       \
	{                                                                                          \
		return name(ctx, bpf_get_attach_cookie(ctx));                                      \
	}                                                                                          \
	static __always_inline int name(void *ctx, u64 which)

#define WICK_REGISTER_ARGS(args...) ___bpf_apply(WICK_REGISTER_ARGS, ___bpf_narg(args))(args)
