/* What a C++ test may do with bpf/lib/stacks.bpf.h compiled natively (native_stacks.c). */
#pragma once
#ifdef __cplusplus
#include <linux/types.h>

#include "bpf/abi/stacks.h"
typedef __u32 u32;
typedef __u64 u64;
extern "C" {
/* The part of stub_kernel (stub_helpers.h) that tests set, under C++ names. */
void stub_set_kernel_stack(const u64* frames, long depth);
void stub_set_user_stack(const u64* frames, long depth);
void stub_set_memory(u64 start, const u64* words, u32 count);
void stub_set_ring_full(bool full);
void stub_set_time(u64 now_ns);
void stub_set_register(u32 word, u64 value);  // a word of pt_regs
void stub_set_task(u32 pid, bool kernel_thread, const char* comm);
u32 stub_records();
u32 stub_wakeups();
const struct wick_stack_record* stub_last_record();
/* What went to the ring of stacks. */
u32 stub_pieces();
const struct wick_raw_piece* stub_piece(u32 index);
#endif

void native_stacks_begin(u32 counts_entries);
void native_stacks_set_max_depth(u32 depth);
void native_stacks_filter_pid(u32 pid);
/* Logs when samples are taken; what is in the log of a set of counts; a stack's number there. */
void native_stacks_log_times(void);
const struct wick_time_chunk* native_stacks_times(u32 set);
u32 native_stacks_index(const struct wick_stack_key* key);
/* A command that is started; and its exec. True: it began just now. */
void native_stacks_start_command(u32 pid);
bool native_stacks_exec(u32 pid);
/* Wick's own PID, and the parent of the current task. */
void native_stacks_set_own(u32 own, u32 parent);
void native_stacks_sample(bool in_kernel, u64 ip, u64 bp);
u64 native_stacks_count(const struct wick_stack_key* key);
struct wick_stack_totals native_stacks_totals(void);
/* A process with these mappings, whose tables are all in segment 0. */
void native_unwind_begin(const struct wick_unwind_mapping* mappings, u32 mapping_count,
                         const u64* words, u32 word_count);
/* The table is gone; what was found in it stays. */
void native_unwind_forget_rows(void);
/* The process has another list of mappings now, with the same in it. */
void native_unwind_set_list(u32 list);
/* Its list is not there (yet). */
void native_unwind_forget_process(void);
/* A sample in an exec that has left the old address space and not filled the new one. */
void native_unwind_in_exec(u64 ip, u64 sp);
/* That process has this interpreter; its thread's control block is at `fsbase`. */
void native_runtime_begin(u32 kind, const void* layout, u32 bytes, u64 fsbase, bool lines);
/* The thread pointer of the task that is walked. */
void native_unwind_set_thread(u64 fsbase);
void native_unwind_sample(u64 ip, u64 sp, u64 bp);
bool native_find_row(const struct wick_unwind_mapping* mapping, u32 pc,
                     struct wick_unwind_row* out);
u64 native_hash(const u64* words, u32 count, u64 seed);

#ifdef __cplusplus
}
#endif
