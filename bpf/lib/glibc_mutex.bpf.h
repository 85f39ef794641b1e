/* SPDX-License-Identifier: GPL-2.0 */
/* What glibc's pthread_mutex_t tells of itself, on machines of 64 bits. */
#pragma once

#include "bpf/lib/filter.bpf.h"

/* Its beginning; __kind's bits. */
struct glibc_mutex {
	u32 lock; /* the futex: 0 free, 1 taken, 2 taken and waited for */
	u32 count;
	u32 owner; /* TID, as its PID namespace has it */
	u32 users;
	u32 kind;
};
#define GLIBC_KIND_RECURSIVE 1
#define GLIBC_KIND_TYPE 3
#define GLIBC_KIND_ELISION 0x100

static __always_inline bool read_glibc_mutex(u64 address, struct glibc_mutex *mutex)
{
	return !bpf_probe_read_user(mutex, sizeof(*mutex), (void *)address);
}

static __always_inline bool is_recursive(u64 address)
{
	struct glibc_mutex mutex = {};

	return read_glibc_mutex(address, &mutex) &&
	       (mutex.kind & GLIBC_KIND_TYPE) == GLIBC_KIND_RECURSIVE;
}
