/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's own count of a task's switches. It goes up just before the tracepoint is hit, so two
 * looks at a task show whether it switched between them and nobody was told. */
#pragma once

static __always_inline u32 switches_of(struct task_struct *task)
{
	return (u32)(task->nvcsw + task->nivcsw);
}
