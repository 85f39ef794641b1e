#include "proc/network_device.h"

#include <fmt/format.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "proc/namespaces.h"

namespace wick {
namespace {

// Beyond the largest cards'.
constexpr u32 kMaxQueues = 4096;

// As many as sysfs has; where it does not show the device there is one at least.
u32 count_queues(const std::string& device, std::string_view kind) {
  u32 count = 0;
  while (count < kMaxQueues &&
         ::access(fmt::format("/sys/class/net/{}/queues/{}-{}", device, kind, count).c_str(),
                  F_OK) == 0)
    count++;
  return std::max<u32>(1, count);
}

}  // namespace

Result<NetworkDevice> network_device(const std::string& name) {
  // A path would go elsewhere in sysfs; no device has such a name.
  const bool is_name = name.find('/') == std::string::npos && name.size() < IF_NAMESIZE;
  const unsigned number = is_name ? ::if_nametoindex(name.c_str()) : 0;
  if (number == 0)
    return fail_usage(fmt::format("no network device {}", printable(name)),
                      "`ls /sys/class/net` lists them");
  const u64 inode = TRY(namespace_inode(static_cast<u32>(::getpid()), "net"));
  return NetworkDevice{.number = number,
                       .network_namespace = static_cast<u32>(inode),
                       .transmit_queues = count_queues(name, "tx"),
                       .receive_queues = count_queues(name, "rx")};
}

}  // namespace wick
