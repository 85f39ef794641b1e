// demangle: names of C++, Rust and D as people write them; every other name as it is.
// Names come from files we do not trust: the input, the output and the recursion are bounded.
// Any thread.
//
//   demangle("_ZN3foo3barEi")                              -> "foo::bar(int)"
//   demangle("_ZN3foo3barEi", DemangleStyle::no_parameters) -> "foo::bar"
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"

namespace wick {

enum class DemangleStyle : u8 { full, no_parameters, none };

[[nodiscard]] std::string demangle(std::string_view name,
                                   DemangleStyle style = DemangleStyle::full);

// As ".symtab" of a library has it: "memcpy@@GLIBC_2.14" -> "memcpy"
[[nodiscard]] std::string_view without_version(std::string_view name);

}  // namespace wick
