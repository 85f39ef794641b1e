/* SPDX-License-Identifier: GPL-2.0 */
/* wick filetop and dirtop: reads and writes that succeed, by file and, for filetop, by thread. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/table.bpf.h"
#include "bpf/lib/paths.bpf.h"
#include "bpf/lib/file_io.bpf.h"
#include "bpf/abi/file_io.h"

const volatile bool by_thread = false;

static __always_inline void file_io_done(struct task_struct *task, struct file_io *io, long result)
{
	struct wick_table_amounts amounts = {};
	struct wick_table_key key = {};

	if (result < 0)
		return;
	amounts.amount[WICK_FILE_CALLS] = 1;
	if (io->is_write) {
		amounts.amount[WICK_FILE_WRITES] = 1;
		amounts.amount[WICK_FILE_WRITE_BYTES] = result;
	} else {
		amounts.amount[WICK_FILE_READS] = 1;
		amounts.amount[WICK_FILE_READ_BYTES] = result;
	}
	if (by_thread)
		key.first = current_ids(task).tid;
	key.second = file_io_path(io);
	table_add(key, by_thread ? task : NULL, amounts);
}
