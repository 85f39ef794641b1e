// How many files this process may have open. The soft limit is often 1024, and some commands need
// a descriptor for each CPU and event, or for each process.
#pragma once

#include <cstddef>

namespace wick {

// Raises the soft limit as far as it goes; what it is then, 0 when nobody says.
std::size_t raise_file_limit();

}  // namespace wick
