/* SPDX-License-Identifier: GPL-2.0 */
/* The file behind a descriptor of the current task.
 *
 *   struct file *file = open_file(bpf_get_current_task_btf(), descriptor);   // NULL: none
 */
#pragma once

/* f_mode and f_flags, the same since 4.19. */
#define WICK_FMODE_CREATED 0x100000
#define WICK_O_TMPFILE 020000000

static __always_inline struct file *open_file(struct task_struct *task, u64 descriptor)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd);
	struct file *file = NULL;

	if (descriptor < BPF_CORE_READ(table, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), &files[descriptor]);
	return file;
}

/* Whether the open that made it made the file too. */
static __always_inline bool was_created(struct file *file)
{
	return BPF_CORE_READ(file, f_mode) & WICK_FMODE_CREATED;
}

static __always_inline bool has_no_name(struct file *file)
{
	return BPF_CORE_READ(file, f_flags) & WICK_O_TMPFILE;
}
