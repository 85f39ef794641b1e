/* SPDX-License-Identifier: GPL-2.0 */
/* System calls by number, and where their arguments are. */
#pragma once

enum system_call {
	CALL_READ = 0,
	CALL_WRITE = 1,
	CALL_OPEN = 2,
	CALL_PREAD64 = 17,
	CALL_PWRITE64 = 18,
	CALL_READV = 19,
	CALL_WRITEV = 20,
	CALL_MSYNC = 26,
	CALL_FSYNC = 74,
	CALL_FDATASYNC = 75,
	CALL_MKDIR = 83,
	CALL_RMDIR = 84,
	CALL_CREAT = 85,
	CALL_UNLINK = 87,
	CALL_MKNOD = 133,
	CALL_SYNC = 162,
	CALL_FUTEX = 202,
	CALL_OPENAT = 257,
	CALL_MKDIRAT = 258,
	CALL_MKNODAT = 259,
	CALL_UNLINKAT = 263,
	CALL_SYNC_FILE_RANGE = 277,
	CALL_FALLOCATE = 285,
	CALL_PREADV = 295,
	CALL_PWRITEV = 296,
	CALL_SYNCFS = 306,
	CALL_PREADV2 = 327,
	CALL_PWRITEV2 = 328,
	CALL_OPENAT2 = 437,
};

static __always_inline bool is_read_call(long call)
{
	return call == CALL_READ || call == CALL_PREAD64 || call == CALL_READV ||
	       call == CALL_PREADV || call == CALL_PREADV2;
}

static __always_inline bool is_write_call(long call)
{
	return call == CALL_WRITE || call == CALL_PWRITE64 || call == CALL_WRITEV ||
	       call == CALL_PWRITEV || call == CALL_PWRITEV2;
}

/* Of registers that the verifier knows the type of. */
#define SYSTEM_CALL_NUMBER(regs) ((regs)->orig_ax)
#define SYSTEM_CALL_FIRST(regs) ((regs)->di)
#define SYSTEM_CALL_SECOND(regs) ((regs)->si)
#define SYSTEM_CALL_THIRD(regs) ((regs)->dx)

/* The same of any registers, for one read of several words: as they lie in pt_regs. The number is
 * negative after a fault or an interrupt. */
#define SYSTEM_CALL_WORDS(regs) (&(regs)->dx)
enum { THIRD_WORD, SECOND_WORD, FIRST_WORD, NUMBER_WORD };
