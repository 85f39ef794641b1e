/* bpf/lib/stacks.bpf.h as a library: its constants become variables a test can set. */
#define WICK_NATIVE
#define UNWIND_RECENT_BITS 4
#define volatile
#define const
#include "bpf/lib/kernel_types.h"
#undef const
#include "tests/bpf/stub_helpers.h"
#define const
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/stacks.bpf.h"
#include "bpf/wall.bpf.c"
#undef const
#undef volatile
#include "tests/bpf/native_stacks.h"
#include "tests/bpf/native_wall.h"

#include <string.h>

static struct mm_struct some_mm;

void native_stacks_begin(u32 counts_entries) {
  static struct task_struct task;
  static struct signal_struct signal;
  u32 zero = 0;
  struct wick_stack_record* record;

  stub_reset();
  stub_map(&counts_a, sizeof(struct wick_stack_key), sizeof(struct wick_stack_value),
           counts_entries);
  stub_map(&records, 1, 1, 1);
  stub_map(&known_processes, sizeof(u64), 1, 64);
  stub_map(&scratch, sizeof(u32), sizeof(struct wick_stack_record), SCRATCH_KINDS);
  stub_map(&totals, sizeof(u32), sizeof(struct wick_stack_totals), 1);
  stub_map(&filter_ids, sizeof(u32), 1, 16);
  bpf_map_update_elem(&scratch, &zero, &(struct wick_stack_record){}, BPF_ANY);
  bpf_map_update_elem(&totals, &zero, &(struct wick_stack_totals){}, BPF_ANY);
  /* Scratch is never clean in the kernel either. */
  record = bpf_map_lookup_elem(&scratch, &zero);
  memset(record, 0xAA, sizeof(*record));
  task = (struct task_struct){
      .pid = 7, .tgid = 7, .mm = &some_mm, .group_leader = &task, .signal = &signal};
  stub_kernel.task = &task;
  stub_kernel.pid_tgid = 7ULL << 32 | 7;
  max_depth = WICK_KERNEL_WALK_DEPTH;
  want_user = want_kernel = true;
  filter_by_tgid = by_thread = unwind_by_tables = runtime_lines = false;
  runtimes = 0;
  own_tgid = 0;
  log_times = false;
  hash_seed = 42;
}

void native_stacks_set_max_depth(u32 depth) {
  max_depth = depth;
}

void native_stacks_log_times(void) {
  log_times = true;
  stub_map(&time_log, sizeof(u32), sizeof(struct wick_time_chunk), 2);
  for (u32 set = 0; set < 2; set++)
    bpf_map_update_elem(&time_log, &set, &(struct wick_time_chunk){}, BPF_ANY);
}

const struct wick_time_chunk* native_stacks_times(u32 set) {
  return bpf_map_lookup_elem(&time_log, &set);
}

u32 native_stacks_index(const struct wick_stack_key* key) {
  struct wick_stack_value* value = bpf_map_lookup_elem(&counts_a, key);

  return value ? value->index : 0;
}

void native_stacks_filter_pid(u32 pid) {
  u8 yes = 1;

  filter_by_tgid = true;
  bpf_map_update_elem(&filter_ids, &pid, &yes, BPF_ANY);
}

void native_stacks_start_command(u32 pid) {
  u8 no = 0;

  filter_by_tgid = true;
  bpf_map_update_elem(&filter_ids, &pid, &no, BPF_ANY);
}

bool native_stacks_exec(u32 pid) {
  return begins_command(pid);
}

void native_stacks_set_own(u32 own, u32 parent) {
  static struct task_struct its_parent;

  own_tgid = own;
  its_parent.tgid = parent;
  stub_kernel.task->real_parent = &its_parent;
}

void native_stacks_sample(bool in_kernel, u64 ip, u64 bp) {
  count_stack(NULL, stub_kernel.task, in_kernel,
              (struct user_registers){.ip = ip, .bp = bp, .is_64bit = bp != 0}, 1);
}

u64 native_stacks_count(const struct wick_stack_key* key) {
  struct wick_stack_value* value = bpf_map_lookup_elem(&counts_a, key);

  return value ? value->value : 0;
}

struct wick_stack_totals native_stacks_totals(void) {
  u32 zero = 0;

  return *(struct wick_stack_totals*)bpf_map_lookup_elem(&totals, &zero);
}

void native_unwind_begin(const struct wick_unwind_mapping* mappings, u32 mapping_count,
                         const u64* words, u32 word_count) {
  u32 pid = 7, zero = 0;
  u64 empty = 0;
  struct wick_unwind_process process = {.first = 0, .count = mapping_count, .list = 1};

  native_stacks_begin(8);
  unwind_by_tables = true;
  some_mm.start_stack = ~0UL / 2;
  some_mm.end_code = 1;
  stub_kernel.piece_ring = &raw_stacks;
  stub_map(&raw_scratch, sizeof(u32), sizeof(struct raw_copy), 1);
  bpf_map_update_elem(&raw_scratch, &zero, &(struct raw_copy){}, BPF_ANY);
  stub_map(&raw_senders, sizeof(struct raw_sender), sizeof(u32), 8);
  stub_map(&raw_sent, sizeof(u64), 1, 64);
  stub_map(&unwind_processes, sizeof(u32), sizeof(process), 4);
  stub_map(&unwind_mappings, sizeof(u32), sizeof(struct wick_unwind_mapping), mapping_count + 1);
  stub_map(&unwind_segments, sizeof(u32), sizeof(u64), 4);
  stub_map(&unwind_recent, sizeof(u32), sizeof(struct wick_unwind_recent), 1 << UNWIND_RECENT_BITS);
  for (u32 i = 0; i < 1 << UNWIND_RECENT_BITS; i++)
    bpf_map_update_elem(&unwind_recent, &i, &(struct wick_unwind_recent){}, BPF_ANY);
  stub_map(&unwind_scratch, sizeof(u32), sizeof(struct unwind_walk), 1);
  bpf_map_update_elem(&unwind_scratch, &zero, &(struct unwind_walk){}, BPF_ANY);
  bpf_map_update_elem(&unwind_processes, &pid, &process, BPF_ANY);
  for (u32 i = 0; i < mapping_count; i++)
    bpf_map_update_elem(&unwind_mappings, &i, &mappings[i], BPF_ANY);
  bpf_map_update_elem(&unwind_segments, &zero, &empty, BPF_ANY);
  /* The place of the value stands for the map in it. */
  void* segment = bpf_map_lookup_elem(&unwind_segments, &zero);
  stub_map(segment, sizeof(u32), sizeof(u64), word_count);
  for (u32 i = 0; i < word_count; i++) bpf_map_update_elem(segment, &i, &words[i], BPF_ANY);
}

void native_unwind_forget_rows(void) {
  u32 zero = 0;

  bpf_map_delete_elem(&unwind_segments, &zero);
}

void native_unwind_set_list(u32 list) {
  u32 pid = 7;
  struct wick_unwind_process* process = bpf_map_lookup_elem(&unwind_processes, &pid);

  process->list = list;
}

void native_unwind_set_thread(u64 fsbase) {
  stub_kernel.task->thread.fsbase = fsbase;
}

void native_unwind_forget_process(void) {
  u32 pid = 7;

  bpf_map_delete_elem(&unwind_processes, &pid);
}

void native_unwind_in_exec(u64 ip, u64 sp) {
  some_mm.end_code = 0;
  count_stack(NULL, stub_kernel.task, true,
              (struct user_registers){.ip = ip, .sp = sp, .is_64bit = true, .in_syscall = true}, 1);
}

void native_runtime_begin(u32 kind, const void* layout, u32 bytes, u64 fsbase, bool lines) {
  u32 pid = 7, zero = 0, one = 1;
  struct wick_unwind_process* process = bpf_map_lookup_elem(&unwind_processes, &pid);
  static struct runtime_stack dirty;
  struct wick_runtime runtime = {.kind = kind};

  memcpy(runtime.layout, layout, bytes);
  process->runtime = one;
  runtimes = 1U << kind;
  runtime_lines = lines;
  stub_kernel.task->thread.fsbase = fsbase;
  stub_map(&runtime_entries, sizeof(u32), sizeof(runtime), 1);
  bpf_map_update_elem(&runtime_entries, &one, &runtime, BPF_ANY);
  stub_map(&runtime_scratch, sizeof(u32), sizeof(dirty), 1);
  memset(&dirty, 0xAA, sizeof(dirty));
  bpf_map_update_elem(&runtime_scratch, &zero, &dirty, BPF_ANY);
}

void native_unwind_sample(u64 ip, u64 sp, u64 bp) {
  count_stack(NULL, stub_kernel.task, false,
              (struct user_registers){.ip = ip, .sp = sp, .bp = bp, .is_64bit = true}, 1);
}

bool native_find_row(const struct wick_unwind_mapping* mapping, u32 pc,
                     struct wick_unwind_row* out) {
  return find_unwind_row((struct wick_unwind_mapping*)mapping, pc, out);
}

u64 native_hash(const u64* words, u32 count, u64 seed) {
  return hash_words((u64*)words, count, seed);
}

enum { KERNEL_TEXT = 0x1000 };
#include "tests/bpf/native_wall.inc"
