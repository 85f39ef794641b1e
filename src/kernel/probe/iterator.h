// Iterator programs run from their first object to their last. One thread.
#pragma once

#include <bpf/libbpf.h>

#include <string>

#include "base/result.h"

namespace wick {

// What the program writes (bpf_seq_write).
[[nodiscard]] Result<std::string> read_iterator(const bpf_program* program, const char* what);
// The same for a program that writes nothing.
[[nodiscard]] Status run_iterator(const bpf_program* program, const char* what);

}  // namespace wick
