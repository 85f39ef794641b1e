/* bpf/lib/histogram.bpf.h as a library: its constants become variables a test can set. */
#define WICK_NATIVE
#define volatile
#define const
#include "bpf/lib/kernel_types.h"
#undef const
#include "tests/bpf/stub_helpers.h"
#define const
#define second_set native_histogram_second_set
#define flip_barrier native_histogram_flip_barrier
#include "bpf/lib/histogram.bpf.h"
#include "bpf/lib/prelude.bpf.h"
#undef const
#undef volatile

#include "tests/bpf/native_histogram.h"

void native_histogram_begin(u64 unit, bool by_key, u32 entries) {
  stub_reset();
  stub_map(&histograms_a, sizeof(struct wick_histogram_key), sizeof(struct wick_histogram_value),
           entries);
  stub_map(&histograms_b, sizeof(struct wick_histogram_key), sizeof(struct wick_histogram_value),
           entries);
  stub_map(&histogram_slots, sizeof(u32), sizeof(struct wick_histogram_slots), 2);
  for (u32 set = 0; set < 2; set++)
    bpf_map_update_elem(&histogram_slots, &set, &(struct wick_histogram_slots){}, BPF_ANY);
  histogram_unit = unit;
  histogram_by_key = by_key;
  histogram_lost = histogram_entries = 0;
  second_set = 0;
}

u32 native_histogram_slot(u64 value) {
  return histogram_slot(value);
}

void native_histogram_add(u64 key, u64 value) {
  histogram_add((struct wick_histogram_key){.first = key}, NULL, value);
}

void native_histogram_flip(void) {
  second_set = !second_set;
}

struct wick_histogram_hits native_histogram_hits(u32 set, u64 key, u32 slot) {
  struct wick_histogram_key wanted = {.first = key, .slot = slot};
  struct wick_histogram_value* value;

  if (!histogram_by_key)
    return ((struct wick_histogram_slots*)bpf_map_lookup_elem(&histogram_slots, &set))->hits[slot];
  value = bpf_map_lookup_elem(set ? &histograms_b : &histograms_a, &wanted);
  return value ? value->hits : (struct wick_histogram_hits){};
}

u64 native_histogram_lost(void) {
  return histogram_lost;
}
