// The stubs by which a program calls functions of other files: code that jumps to where a slot
// points. Used by object/plt, which knows whose slot it is. Thread rule: free functions, no state.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/ids.h"

namespace wick {

// Of the file.
struct PltCode {
  bool is_64 = true;
  u64 got_base = 0;
};

struct DecodedStub {
  u64 key;         // the address of the slot, or the relocation's number
  bool by_number;  // the lazy half of a stub pushes the number
};

[[nodiscard]] std::optional<DecodedStub> decode_plt_stub(const PltCode& file, u64 start,
                                                         std::span<const std::byte> code);

// Of a section's stubs; `entry_size` is what its header says.
[[nodiscard]] std::size_t plt_stub_size(u64 entry_size, std::span<const std::byte> code);

}  // namespace wick
