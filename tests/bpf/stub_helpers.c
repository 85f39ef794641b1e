#define WICK_NATIVE
#include "tests/bpf/stub_helpers.h"

#include <stdlib.h>
#include <string.h>

struct stub_kernel stub_kernel;

enum {
  MAX_MAPS = 24,
  MAX_STORAGES = 16,
  STORAGE_WORDS = 1024,
  MAX_ENTRIES = 4096,
  STUB_E2BIG = 7,
  STUB_EFAULT = 14
};

static struct stub_map_state {
  void* map;
  u32 key_size, value_size, max_entries, used;
  unsigned char *keys, *values;
} maps[MAX_MAPS];
static u32 map_count;

void stub_map(void* map, u32 key_size, u32 value_size, u32 max_entries) {
  struct stub_map_state* state = &maps[map_count++];

  *state = (struct stub_map_state){map,
                                   key_size,
                                   value_size,
                                   max_entries,
                                   0,
                                   calloc(max_entries, key_size),
                                   calloc(max_entries, value_size)};
}

/* One map with storage is all a program has. */
static struct stub_storage {
  struct task_struct* task;
  u64 words[STORAGE_WORDS];
} storages[MAX_STORAGES];
static u32 storage_count;

void stub_reset(void) {
  storage_count = 0;
  for (u32 i = 0; i < map_count; i++) {
    free(maps[i].keys);
    free(maps[i].values);
  }
  map_count = 0;
  memset(&stub_kernel, 0, sizeof(stub_kernel));
}

static struct stub_map_state* find_map(void* map) {
  for (u32 i = 0; i < map_count; i++)
    if (maps[i].map == map) return &maps[i];
  abort();
}

void* bpf_map_lookup_elem(void* map, const void* key) {
  struct stub_map_state* state = find_map(map);

  for (u32 i = 0; i < state->used; i++)
    if (!memcmp(state->keys + i * state->key_size, key, state->key_size))
      return state->values + i * state->value_size;
  return NULL;
}

long bpf_map_update_elem(void* map, const void* key, const void* value, u64 flags) {
  struct stub_map_state* state = find_map(map);
  void* there = bpf_map_lookup_elem(map, key);

  if (there && flags == BPF_NOEXIST) return -EEXIST;
  if (!there) {
    if (state->used == state->max_entries) return -STUB_E2BIG;
    memcpy(state->keys + state->used * state->key_size, key, state->key_size);
    there = state->values + state->used++ * state->value_size;
  }
  memcpy(there, value, state->value_size);
  return 0;
}

void stub_map_for_each(void* map, void (*visit)(void* key, void* value, void* context),
                       void* context) {
  struct stub_map_state* state = find_map(map);

  for (u32 i = 0; i < state->used; i++)
    visit(state->keys + i * state->key_size, state->values + i * state->value_size, context);
}

long bpf_map_delete_elem(void* map, const void* key) {
  struct stub_map_state* state = find_map(map);
  unsigned char* value = bpf_map_lookup_elem(map, key);

  if (!value) return -2;
  u32 at = (value - state->values) / state->value_size, last = --state->used;
  memmove(value, state->values + last * state->value_size, state->value_size);
  memmove(state->keys + at * state->key_size, state->keys + last * state->key_size,
          state->key_size);
  return 0;
}

/* As the kernel's: fills what is left of the buffer with zeros. */
long bpf_get_stack(void* ctx, void* buffer, u32 size, u64 flags) {
  bool user = flags & BPF_F_USER_STACK;
  long depth = user ? stub_kernel.user_depth : stub_kernel.kernel_depth;
  const u64* frames = user ? stub_kernel.user_frames : stub_kernel.kernel_frames;
  long room = size / sizeof(u64);

  (void)ctx;
  memset(buffer, 0, size);
  if (depth < 0) return depth;
  if (depth > room) depth = room;
  memcpy(buffer, frames, depth * sizeof(u64));
  return depth * (long)sizeof(u64);
}

long bpf_probe_read_user(void* to, u32 size, const void* from) {
  u64 at = (u64)from, start = stub_kernel.memory_start;

  if (at < start || at + size > start + sizeof(stub_kernel.memory)) return -STUB_EFAULT;
  memcpy(to, (unsigned char*)stub_kernel.memory + (at - start), size);
  return 0;
}

// One address space is all there is.
long bpf_copy_from_user_task(void* to, u32 size, const void* from, struct task_struct* task,
                             u64 flags) {
  (void)task;
  (void)flags;
  return bpf_probe_read_user(to, size, from);
}

long bpf_loop(u32 count, void* callback, void* context, u64 flags) {
  long (*step)(u32, void*) = callback;
  u32 i = 0;

  (void)flags;
  while (i < count)
    if (step(i++, context)) break;
  return i;
}

long bpf_ringbuf_output(void* ring, void* data, u64 size, u64 flags) {
  if (stub_kernel.ring_full) return -11;
  if (ring == stub_kernel.piece_ring) {
    if (stub_kernel.pieces == 8 || size > sizeof(stub_kernel.piece[0])) return -11;
    memcpy(stub_kernel.piece[stub_kernel.pieces++], data, size);
    return 0;
  }
  stub_kernel.records++;
  stub_kernel.wakeups += flags == BPF_RB_FORCE_WAKEUP;
  stub_kernel.last_record_bytes = size;
  memcpy(stub_kernel.last_record, data, size);
  return 0;
}

u64 bpf_ringbuf_query(void* ring, u64 flags) {
  (void)ring;
  (void)flags;
  return 0;
}

struct task_struct* bpf_get_current_task_btf(void) {
  return stub_kernel.task;
}

u64 bpf_get_current_pid_tgid(void) {
  return stub_kernel.pid_tgid;
}

u64 bpf_get_current_uid_gid(void) {
  return stub_kernel.uid;
}

long bpf_get_current_comm(void* buffer, u32 size) {
  memcpy(buffer, stub_kernel.comm, size);
  return 0;
}

long bpf_current_task_under_cgroup(void* map, u32 index) {
  (void)map;
  (void)index;
  return stub_kernel.in_cgroup;
}

u32 bpf_get_smp_processor_id(void) {
  return 3;
}

u64 bpf_ktime_get_ns(void) {
  return stub_kernel.now_ns++;
}

/* For C++ tests, which cannot see struct stub_kernel. */
void stub_set_time(u64 now_ns) {
  stub_kernel.now_ns = now_ns;
}

void stub_set_kernel_stack(const u64* frames, long depth) {
  stub_kernel.kernel_depth = depth;
  if (depth > 0) memcpy(stub_kernel.kernel_frames, frames, depth * sizeof(u64));
}

void stub_set_user_stack(const u64* frames, long depth) {
  stub_kernel.user_depth = depth;
  if (depth > 0) memcpy(stub_kernel.user_frames, frames, depth * sizeof(u64));
}

void stub_set_memory(u64 start, const u64* words, u32 count) {
  stub_kernel.memory_start = start;
  if (count) memcpy(stub_kernel.memory, words, count * sizeof(u64));
}

void stub_set_ring_full(bool full) {
  stub_kernel.ring_full = full;
}

void stub_set_task(u32 pid, bool kernel_thread, const char* comm) {
  stub_kernel.task->pid = stub_kernel.task->tgid = pid;
  stub_kernel.pid_tgid = (u64)pid << 32 | pid;
  if (kernel_thread) stub_kernel.task->mm = NULL;
  memset(stub_kernel.comm, 0, sizeof(stub_kernel.comm));
  strncpy(stub_kernel.comm, comm, sizeof(stub_kernel.comm) - 1);
}

u32 stub_records(void) {
  return stub_kernel.records;
}

u32 stub_wakeups(void) {
  return stub_kernel.wakeups;
}

const void* stub_last_record(void) {
  return stub_kernel.last_record;
}

u32 stub_pieces(void) {
  return stub_kernel.pieces;
}

const void* stub_piece(u32 index) {
  return stub_kernel.piece[index];
}

long bpf_probe_read_kernel(void* to, u32 size, const void* from) {
  if (!from) return -14;
  memcpy(to, from, size);
  return 0;
}

long bpf_get_task_stack(struct task_struct* task, void* buffer, u32 size, u64 flags) {
  return bpf_get_stack(task, buffer, size, flags);
}

void* bpf_task_storage_get(void* map, struct task_struct* task, void* value, u64 flags) {
  (void)map;
  (void)value;
  for (u32 i = 0; i < storage_count; i++)
    if (storages[i].task == task) return storages[i].words;
  if (flags != BPF_LOCAL_STORAGE_GET_F_CREATE || stub_kernel.storage_fails) return NULL;
  if (storage_count == MAX_STORAGES) abort();
  storages[storage_count] = (struct stub_storage){.task = task};
  return storages[storage_count++].words;
}

void stub_set_storage_fails(bool fails) {
  stub_kernel.storage_fails = fails;
}

/* Empty unless a test fills it in. */
long bpf_task_pt_regs(struct task_struct* task) {
  (void)task;
  return (long)&stub_kernel.registers;
}

void stub_set_register(u32 word, u64 value) {
  ((u64*)&stub_kernel.registers)[word] = value;
}
