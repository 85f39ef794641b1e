/* BPF helpers as ordinary C, so that bpf/lib runs in a test under sanitizers. The kernel they
 * pretend to be is `stub_kernel`, which a test fills in. */
#pragma once

#include "bpf/lib/kernel_types.h"

#include <stddef.h>

#define SEC(name)
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#ifndef __noinline
#define __noinline __attribute__((noinline))
#endif
#define __uint(name, val) int(*name)[val]
#define __type(name, val) typeof(val)* name
#define __array(name, val) typeof(val)* name[1]

#define STUB_READ_1(src, a) ((src)->a)
#define STUB_READ_2(src, a, b) ((src)->a->b)
#define STUB_READ_3(src, a, b, c) ((src)->a->b->c)
#define STUB_READ_N(_1, _2, _3, name, ...) name
#define BPF_CORE_READ(src, ...) \
  STUB_READ_N(__VA_ARGS__, STUB_READ_3, STUB_READ_2, STUB_READ_1)(src, __VA_ARGS__)
#define BPF_CORE_READ_BITFIELD(src, field) ((src)->field)
#define BPF_PROG(name, ...) name(void* ctx, __VA_ARGS__)
#define bpf_core_field_exists(field) 1
#define bpf_core_read(dst, size, src) __builtin_memcpy(dst, src, size)

#define STUB_MAX_FRAMES 600

struct stub_kernel {
  struct task_struct* task;
  u64 pid_tgid;
  u32 uid;
  char comm[16];
  u64 now_ns;
  bool in_cgroup;

  /* What bpf_get_stack finds; a negative depth is the error it returns. */
  u64 kernel_frames[STUB_MAX_FRAMES];
  long kernel_depth;
  u64 user_frames[STUB_MAX_FRAMES];
  long user_depth;

  /* The memory of the process, as 8-byte words from this address on. */
  u64 memory_start;
  u64 memory[4096];

  /* What the kernel saved when it was entered. */
  struct pt_regs registers;

  /* What went through the ring. */
  u32 records;
  u32 wakeups;
  bool ring_full;
  bool storage_fails; /* no more of it is made */
  u64 last_record_bytes;
  unsigned char last_record[16384];

  /* What went through another ring. */
  void* piece_ring;
  u32 pieces;
  _Alignas(8) unsigned char piece[8][16384];
};
extern struct stub_kernel stub_kernel;

/* Makes `map` (the address of a BPF map variable) a map of that shape. */
void stub_map(void* map, u32 key_size, u32 value_size, u32 max_entries);
void stub_map_for_each(void* map, void (*visit)(void* key, void* value, void* context),
                       void* context);
void stub_reset(void);

void* bpf_map_lookup_elem(void* map, const void* key);
long bpf_map_update_elem(void* map, const void* key, const void* value, u64 flags);
long bpf_map_delete_elem(void* map, const void* key);
long bpf_get_stack(void* ctx, void* buffer, u32 size, u64 flags);
long bpf_probe_read_user(void* to, u32 size, const void* from);
long bpf_copy_from_user_task(void* to, u32 size, const void* from, struct task_struct* task,
                             u64 flags);
long bpf_loop(u32 count, void* callback, void* context, u64 flags);
long bpf_ringbuf_output(void* ring, void* data, u64 size, u64 flags);
u64 bpf_ringbuf_query(void* ring, u64 flags);
struct task_struct* bpf_get_current_task_btf(void);
u64 bpf_get_current_pid_tgid(void);
u64 bpf_get_current_uid_gid(void);
long bpf_get_current_comm(void* buffer, u32 size);
long bpf_current_task_under_cgroup(void* map, u32 index);
u64 bpf_ktime_get_ns(void);
u32 bpf_get_smp_processor_id(void);
long bpf_probe_read_kernel(void* to, u32 size, const void* from);
long bpf_get_task_stack(struct task_struct* task, void* buffer, u32 size, u64 flags);
void* bpf_task_storage_get(void* map, struct task_struct* task, void* value, u64 flags);
long bpf_task_pt_regs(struct task_struct* task);
