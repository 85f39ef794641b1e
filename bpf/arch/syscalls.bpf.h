/* SPDX-License-Identifier: GPL-2.0 */
/* System calls: their numbers and arguments. A CPU is a folder below this one. */
#pragma once

#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
#include "bpf/arch/x86_64/syscalls.bpf.h"
#else
#error "this CPU has no folder in bpf/arch yet"
#endif
