// Does a call stand before an address? Every return address has one; what a walk along frame
// pointers picks up in code built without them usually has not. Programs of 32 bits are known too.
#pragma once

#include <cstddef>
#include <span>

namespace wick {

inline constexpr std::size_t kLongestCall = 7;

// `before`: the bytes in front of the address, as many as there are, up to kLongestCall.
[[nodiscard]] bool ends_with_call(std::span<const std::byte> before);

// `after`: the bytes at the address. The kernel makes a signal handler return to code that calls
// rt_sigreturn: a return address without a call.
inline constexpr std::size_t kSignalReturnBytes = 9;
[[nodiscard]] bool is_signal_return(std::span<const std::byte> after);

}  // namespace wick
