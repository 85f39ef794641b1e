/* SPDX-License-Identifier: GPL-2.0 */
/* Reads and writes of files by system calls: read, pread64, readv, preadv, preadv2 and the same of
 * write. The tool says what is to be done with one that is over:
 *
 *   static void file_io_done(struct task_struct *task, struct file_io *io, long result) { … }
 *
 * By the functions all of these calls go through; or by the tracepoints of the calls and the file
 * behind the descriptor. Both see the same, but for programs of 32 bits, whose calls have other
 * numbers: those only the functions see. Neither sees mmap, sendfile, splice, io_uring. */
#pragma once

#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/function.bpf.h"
#include "bpf/lib/open_file.bpf.h"
#include "bpf/arch/syscalls.bpf.h"

const volatile bool all_files = false; /* not only regular ones: pipes, sockets, devices */
const volatile bool skip_reads = false;
const volatile bool skip_writes = false;
u64 starts_lost;

struct file_io {
	struct file *file; /* NULL: none is under way */
	struct dentry *dentry;
	u64 start_ns;
	bool is_write;
};

/* The thread's own, as it is in one call at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct file_io);
} file_ios SEC(".maps");

static __always_inline void file_io_done(struct task_struct *task, struct file_io *io, long result);

static __always_inline int file_io_begins(struct file *file, bool is_write)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct file_io *io;

	if (!file || (is_write ? skip_writes : skip_reads) || !current_task_passes(task))
		return 0;
	if (!all_files && (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFREG)
		return 0;
	io = bpf_task_storage_get(&file_ios, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!io) {
		__sync_fetch_and_add(&starts_lost, 1);
		return 0;
	}
	io->file = file;
	io->dentry = BPF_CORE_READ(file, f_path.dentry);
	io->is_write = is_write;
	io->start_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int file_io_ends(long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct file_io *io = bpf_task_storage_get(&file_ios, task, NULL, 0);

	if (!io || !io->file)
		return 0;
	file_io_done(task, io, result);
	io->file = NULL;
	return 0;
}

/* Behind the call's end another thread may have closed the file, and the kernel used its memory for
 * the next: then nothing is known of it, 0. */
static __always_inline u64 file_io_path(struct file_io *io)
{
	struct file *file = io->file;

	return BPF_CORE_READ(file, f_path.dentry) == io->dentry ? path_id(file) : 0;
}

/* No kprobes: the kernel keeps a few places for returns to come, each read that waits (a terminal,
 * a pipe) holds one, and when they are used up all other calls are missed in silence. */
#define WICK_FILE_IO(function, is_write)                                                           \
	SEC("wick_fentry/" #function)                                                              \
	int BPF_PROG(fentry_##function, struct file *file)                                         \
	{                                                                                          \
		return file_io_begins(file, is_write);                                             \
	}                                                                                          \
	static __always_inline int leave_##function(void *ctx, long result)                        \
	{                                                                                          \
		return file_io_ends(result);                                                       \
	}                                                                                          \
	WICK_FEXIT_PROGRAM(function)

WICK_FILE_IO(vfs_read, false)
WICK_FILE_IO(vfs_readv, false)
WICK_FILE_IO(vfs_write, true)
WICK_FILE_IO(vfs_writev, true)

#define TS_COMPAT 2 /* in a call of 32 bits */

SEC("wick_tp/sys_enter")
int BPF_PROG(instead_enter, struct pt_regs *regs, long call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool is_write = is_write_call(call);

	if (!is_write && !is_read_call(call))
		return 0;
	if (BPF_CORE_READ(task, thread_info.status) & TS_COMPAT)
		return 0;
	return file_io_begins(open_file(task, (u32)SYSTEM_CALL_FIRST(regs)), is_write);
}

SEC("wick_tp/sys_exit")
int BPF_PROG(instead_exit, struct pt_regs *regs, long result)
{
	long call = SYSTEM_CALL_NUMBER(regs);

	if (!is_read_call(call) && !is_write_call(call))
		return 0;
	return file_io_ends(result);
}
