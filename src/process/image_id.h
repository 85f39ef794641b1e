// ImageId: which image. An image is one program in one process, from an exec to the next: told
// apart by PID, start time and the number of its execs.
#pragma once

#include "base/ids.h"

namespace wick {

using ImageId = Id<struct ImageTag>;

}  // namespace wick
