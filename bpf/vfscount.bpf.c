/* SPDX-License-Identifier: GPL-2.0 */
/* wick vfscount: how often each of some kernel functions is called; a row is one of them. */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/filter_any.bpf.h"
#include "bpf/lib/function.bpf.h"
#include "bpf/lib/table.bpf.h"

WICK_ON_MANY(count_call)
{
	if (current_task_passes(bpf_get_current_task_btf()))
		table_add((struct wick_table_key){.first = which}, NULL,
			  (struct wick_table_amounts){.amount = {1}});
	return 0;
}
