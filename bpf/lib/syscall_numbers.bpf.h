/* SPDX-License-Identifier: GPL-2.0 */
/* System calls that read and write files, by x86-64's numbers. */
#pragma once

static __always_inline bool is_read_call(long call)
{
	/* read, pread64, readv, preadv, preadv2 */
	return call == 0 || call == 17 || call == 19 || call == 295 || call == 327;
}

static __always_inline bool is_write_call(long call)
{
	/* write, pwrite64, writev, pwritev, pwritev2 */
	return call == 1 || call == 18 || call == 20 || call == 296 || call == 328;
}
