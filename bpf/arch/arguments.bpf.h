/* SPDX-License-Identifier: GPL-2.0 */
/* The arguments of a kernel function, for kprobes. A CPU is a folder below this one. */
#pragma once

#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
#include "bpf/arch/x86_64/arguments.bpf.h"
#else
#error "this CPU has no folder in bpf/arch yet"
#endif
