// What an iterator program writes (bpf_seq_write), from its first object to its last. One thread.
#pragma once

#include <bpf/libbpf.h>

#include <string>

#include "base/result.h"

namespace wick {

[[nodiscard]] Result<std::string> read_iterator(const bpf_program* program, const char* what);

}  // namespace wick
