// How many files this process may have open. The soft limit is often 1024, and some commands need
// a descriptor for each CPU and event, or for each process.
#pragma once

#include <cstddef>
#include <limits>

namespace wick {

// Raises the soft limit as far as it goes, unless it holds `needed` already: a command started
// later inherits it. What it is then, 0 when nobody says.
std::size_t raise_file_limit(std::size_t needed = std::numeric_limits<std::size_t>::max());

}  // namespace wick
