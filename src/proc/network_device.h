// A network device of our network namespace, by its name. Thread rule: free functions, no state.
#pragma once

#include <string>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct NetworkDevice {
  u32 number = 0;
  u32 network_namespace = 0;  // its inode
  u32 transmit_queues = 1;
  u32 receive_queues = 1;
};

// A name that is none is a mistake of the person.
[[nodiscard]] Result<NetworkDevice> network_device(const std::string& name);

}  // namespace wick
