// The capabilities of the calling thread, by system call. Threads started later inherit them.
//
//   CapabilitySets sets = own_capabilities();
//   sets.effective &= ~capability_bit(CAP_DAC_OVERRIDE);
//   TRY(set_capabilities(sets));
//
// Thread rule: each function is about its own thread only.
#pragma once

#include "base/ids.h"
#include "base/result.h"

namespace wick {

[[nodiscard]] constexpr u64 capability_bit(int capability) {
  return u64{1} << static_cast<unsigned>(capability);
}

struct CapabilitySets {
  u64 effective = 0;
  u64 permitted = 0;
  u64 inheritable = 0;
};

[[nodiscard]] CapabilitySets own_capabilities();
[[nodiscard]] Status set_capabilities(const CapabilitySets& sets);

// One that is held but kept out of use, in use as long as this lives. Nothing where it is not held,
// or always in use.
class RaisedCapability {
 public:
  explicit RaisedCapability(int capability);
  RaisedCapability(const RaisedCapability&) = delete;
  RaisedCapability& operator=(const RaisedCapability&) = delete;
  ~RaisedCapability();

 private:
  u64 raised_ = 0;
};

}  // namespace wick
