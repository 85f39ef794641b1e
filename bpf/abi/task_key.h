/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What a tool counts by when it counts tasks (bpf/lib/task_key.bpf.h, src/tool/task_key.h). */
#pragma once

enum wick_task_key {
	WICK_KEY_NONE,
	WICK_KEY_PROCESS,
	WICK_KEY_THREAD,
	WICK_KEY_PID_NAMESPACE,
	WICK_KEY_CGROUP,
};
