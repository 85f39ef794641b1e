#include "base/hash.h"

#include <sys/auxv.h>

namespace wick {
namespace {

// The kernel hands each process 16 random bytes.
u64 random_seed() {
  u64 seed = 0;
  const unsigned long address = ::getauxval(AT_RANDOM);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how it is handed over
  if (address != 0) std::memcpy(&seed, reinterpret_cast<const void*>(address), sizeof(seed));
  return seed;
}

}  // namespace

const u64 kHashSeed = random_seed();

}  // namespace wick
