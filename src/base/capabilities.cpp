#include "base/capabilities.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace wick {
namespace {

using CapabilityWords = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

constexpr unsigned kWordBits = 32;

u64 joined_words(u32 low, u32 high) {
  return u64{low} | (u64{high} << kWordBits);
}

}  // namespace

CapabilitySets own_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  CapabilityWords words{};
  if (::syscall(SYS_capget, &header, words.data()) != 0) return {};
  return {.effective = joined_words(words[0].effective, words[1].effective),
          .permitted = joined_words(words[0].permitted, words[1].permitted),
          .inheritable = joined_words(words[0].inheritable, words[1].inheritable)};
}

Status set_capabilities(const CapabilitySets& sets) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  CapabilityWords words{};
  for (unsigned i = 0; i < words.size(); i++) {
    words[i].effective = static_cast<u32>(sets.effective >> (i * kWordBits));
    words[i].permitted = static_cast<u32>(sets.permitted >> (i * kWordBits));
    words[i].inheritable = static_cast<u32>(sets.inheritable >> (i * kWordBits));
  }
  if (::syscall(SYS_capset, &header, words.data()) != 0) return fail_errno("set capabilities");
  return {};
}

RaisedCapability::RaisedCapability(int capability) {
  CapabilitySets sets = own_capabilities();
  const u64 bit = capability_bit(capability);
  if ((sets.permitted & bit) == 0 || (sets.effective & bit) != 0) return;
  sets.effective |= bit;
  if (set_capabilities(sets)) raised_ = bit;
}

RaisedCapability::~RaisedCapability() {
  if (raised_ == 0) return;
  CapabilitySets sets = own_capabilities();
  sets.effective &= ~raised_;
  (void)set_capabilities(sets);
}

}  // namespace wick
