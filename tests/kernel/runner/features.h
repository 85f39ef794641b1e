// What a test may need, and whether this machine has it. A test whose needs are not met is
// skipped, and counted as skipped with the missing need's name.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace wick::test {

// `in_vm` is what --vm said: time runs slowly under emulation, so strict timings need `native`.
[[nodiscard]] Result<bool> has_feature(std::string_view feature, bool in_vm);

}  // namespace wick::test
