/* What a C++ test may do with bpf/wall.bpf.c compiled natively (native_wall.inc). */
#pragma once
#include "bpf/abi/gaps.h"
#include "bpf/abi/wall.h"
#ifdef __cplusplus
#include "tests/bpf/native_stacks.h"
extern "C" {
/* From now on no storage of a task can be made. */
void stub_set_storage_fails(bool fails);
#endif

enum { WALL_TASKS = 6 };
/* Threads 0 to WALL_TASKS - 1, chosen by number; the run begins. */
void native_wall_begin(u64 armed_ns);
/* The iterator at the beginning. */
void native_wall_visit(u32 task, bool on_cpu);
/* A switch; -1 is the idle task. !is_told: the tracepoint is not hit. */
void native_wall_switch(int prev, int next, u32 state, u64 now_ns, bool is_told);
void native_wall_wake(u32 task, u64 now_ns);
/* The iterator at the end. */
void native_wall_end(u64 ended_ns);
/* All that was counted, in nanoseconds. */
u64 native_wall_total(void);
u64 native_wall_gaps(u32 cause);
u64 native_wall_made_up(void);
/* Of a thread, with the stack it left with the last time: enum wick_wall. */
u64 native_wall_of_tag(u32 task, u32 tag);
u64 native_wall_gaps_ns(void);

#ifdef __cplusplus
}
#endif
