/* SPDX-License-Identifier: GPL-2.0 */
/* wick vfsstat: calls of the virtual file system, each kind an amount of the table's only row. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/arch/syscalls.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/function.bpf.h"
#include "bpf/lib/open_file.bpf.h"
#include "bpf/lib/table.bpf.h"

enum { READ, WRITE, FSYNC, OPEN, CREATE, UNLINK, MKDIR, RMDIR };

static __always_inline int count(u32 what)
{
	struct wick_table_amounts amounts = {};

	if (!current_task_passes(bpf_get_current_task_btf()))
		return 0;
	amounts.amount[what] = 1;
	table_add((struct wick_table_key){}, NULL, amounts);
	return 0;
}

#define COUNT_CALLS(function, what)                                                                \
	WICK_ON_ENTRY(function)                                                                    \
	{                                                                                          \
		return count(what);                                                                \
	}

COUNT_CALLS(vfs_read, READ)
COUNT_CALLS(vfs_write, WRITE)
COUNT_CALLS(vfs_create, CREATE)
COUNT_CALLS(vfs_unlink, UNLINK)
COUNT_CALLS(vfs_mkdir, MKDIR)
COUNT_CALLS(vfs_rmdir, RMDIR)

/* vfs_fsync is inlined; in fdatasync so is vfs_fsync_range (6.1), or not (6.12): that call is
 * counted as it begins. */
WICK_ON_ENTRY(vfs_fsync_range)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *user = (struct pt_regs *)bpf_task_pt_regs(task);

	return SYSTEM_CALL_NUMBER(user) == CALL_FDATASYNC ? 0 : count(FSYNC);
}

WICK_ON_ENTRY(__x64_sys_fdatasync, struct pt_regs *user)
{
	u64 descriptor = 0;

	bpf_probe_read_kernel(&descriptor, sizeof(descriptor), &SYSTEM_CALL_FIRST(user));
	return open_file(bpf_get_current_task_btf(), descriptor) ? count(FSYNC) : 0;
}

/* open(O_CREAT) does not come by vfs_create. */
static __always_inline int count_open(struct file *file)
{
	if (was_created(file))
		count(CREATE);
	return count(OPEN);
}

WICK_ON_ENTRY(vfs_open, const struct path *path, struct file *file)
{
	return count_open(file);
}

/* Files of O_TMPFILE have no name, and do not come by vfs_open. */
static __always_inline int count_opened(long descriptor)
{
	struct file *file = open_file(bpf_get_current_task_btf(), descriptor);

	if (descriptor < 0 || has_no_name(file))
		return 0;
	return count_open(file);
}

/* vfs_unlink and vfs_rmdir are asked also where they then say these. */
static __always_inline int count_removed(u32 what, long result)
{
	if (result && result != (what == RMDIR ? -ENOTEMPTY : -EISDIR))
		return 0;
	return count(what);
}

static __always_inline int count_made(long result, u32 type)
{
	if (result || (type & S_IFMT && (type & S_IFMT) != S_IFREG))
		return 0;
	return count(CREATE);
}

/* As the calls return; their arguments are still there. */
SEC("wick_tp/sys_exit")
int BPF_PROG(instead_sys_exit, struct pt_regs *regs, long result)
{
	switch (SYSTEM_CALL_NUMBER(regs)) {
	case CALL_READ:
	case CALL_PREAD64:
		return result == -EBADF ? 0 : count(READ);
	case CALL_WRITE:
	case CALL_PWRITE64:
		return result == -EBADF ? 0 : count(WRITE);
	case CALL_FSYNC:
	case CALL_FDATASYNC:
		return result == -EBADF ? 0 : count(FSYNC);
	case CALL_OPEN:
	case CALL_CREAT:
	case CALL_OPENAT:
	case CALL_OPENAT2:
		return count_opened(result);
	case CALL_MKNOD:
		return count_made(result, SYSTEM_CALL_SECOND(regs));
	case CALL_MKNODAT:
		return count_made(result, SYSTEM_CALL_THIRD(regs));
	case CALL_RMDIR:
		return count_removed(RMDIR, result);
	case CALL_UNLINK:
		return count_removed(UNLINK, result);
	case CALL_UNLINKAT:
		return count_removed(SYSTEM_CALL_THIRD(regs) & AT_REMOVEDIR ? RMDIR : UNLINK,
				     result);
	case CALL_MKDIR:
	case CALL_MKDIRAT:
		return result ? 0 : count(MKDIR);
	default:
		return 0;
	}
}
