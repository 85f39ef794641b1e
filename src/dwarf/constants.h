// Names and numbers of the DWARF standard: elfutils' header, of which nothing is linked.
#pragma once

#include <dwarf.h>

#include "base/ids.h"

namespace wick {

// What begins an extended operation of a line program; the standard gives it no name.
enum : u8 { DW_LNS_extended = 0x00 };

}  // namespace wick
