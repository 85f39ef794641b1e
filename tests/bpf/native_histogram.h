/* What native_histogram.c offers to histogram_test.cpp. */
#pragma once

#ifdef __cplusplus
#include "base/ids.h"
#include "bpf/abi/histogram.h"
using wick::u32;
using wick::u64;
extern "C" {
#else
#include "bpf/abi/histogram.h"
#endif

/* Empties all; `entries` is the room for keys. */
void native_histogram_begin(u64 unit, bool by_key, u32 entries);
u32 native_histogram_slot(u64 value);
void native_histogram_add(u64 key, u64 value);
void native_histogram_flip(void);
struct wick_histogram_hits native_histogram_hits(u32 set, u64 key, u32 slot);
u64 native_histogram_lost(void);

#ifdef __cplusplus
}
#endif
