/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What bpf/lib/paths.bpf.h and user space (src/tool/files/path_names.*) agree on: the path of a
 * file, told once for an id. */
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

enum {
	WICK_PATH_NAME = 256,	/* the longest name, and its NUL */
	WICK_PATH_BYTES = 8192, /* of all names; a power of two */
	WICK_PATH_STEPS = 64,	/* names and mount points on the way to the root */
	WICK_PATH_RING = 1 << 21,
};

enum {
	WICK_PATH_ROOTED = 1, /* the last name is below "/" */
	WICK_PATH_LOOSE = 2,  /* in no directory at all: a pipe, a socket, a memfd */
	WICK_PATH_DELETED = 4,
};

struct wick_path {
	__u64 id;
	__u64 inode;
	__u32 mode;  /* as in stat(2) */
	__u32 flags; /* neither rooted nor loose: cut before the root */
	__u32 bytes; /* so many of `names` are sent */
	__u32 reserved;
	/* The file's own first, then its directory's, up to the root; each ends with a NUL. A name
	 * is written as if it were the longest, so there is room for one more. */
	char names[WICK_PATH_BYTES + WICK_PATH_NAME];
};
