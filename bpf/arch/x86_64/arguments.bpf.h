/* SPDX-License-Identifier: GPL-2.0 */
/* Where a function's arguments and its result are, as kprobes and uprobes find them. */
#pragma once

#define FIRST_ARGUMENT(regs) ((regs)->di)
#define SECOND_ARGUMENT(regs) ((regs)->si)
#define RESULT_OF(regs) ((regs)->ax)

#define WICK_REGISTER_ARGS0() ctx
#define WICK_REGISTER_ARGS1(x) WICK_REGISTER_ARGS0(), (void *)ctx->di
#define WICK_REGISTER_ARGS2(x, args...) WICK_REGISTER_ARGS1(args), (void *)ctx->si
#define WICK_REGISTER_ARGS3(x, args...) WICK_REGISTER_ARGS2(args), (void *)ctx->dx
#define WICK_REGISTER_ARGS4(x, args...) WICK_REGISTER_ARGS3(args), (void *)ctx->cx
#define WICK_REGISTER_ARGS5(x, args...) WICK_REGISTER_ARGS4(args), (void *)ctx->r8
