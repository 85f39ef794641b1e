// The library dlopen_later loads while it is being sampled.
#include "../workload.h"

VISIBLE void spin_in_library(unsigned long cpu_ns) {
  workload::spin(cpu_ns);
}
