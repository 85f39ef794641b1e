// DWARF's numbers of this CPU's registers.
#pragma once

#if defined(__x86_64__)
#include "arch/x86_64/registers.h"
#else
#error "this CPU has no folder in src/arch yet"
#endif
