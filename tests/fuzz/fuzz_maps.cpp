// /proc/PID/maps, stat and status are written by the kernel, but names in them by anybody.
#include <cstdlib>
#include <string_view>

#include "proc/cgroup.h"
#include "proc/machine.h"
#include "proc/maps.h"
#include "proc/process.h"
#include "proc/users.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  wick::parse_maps(text, [](const wick::ProcMapping& mapping) {
    if (mapping.start >= mapping.end) std::abort();
  });
  (void)wick::parse_stat(text);
  (void)wick::parse_status(text);
  (void)wick::find_cgroup2_mount(text);
  (void)wick::find_user_id(text, "root");
  const auto cpus = wick::parse_cpu_list(text);
  if (cpus && wick::parse_cpu_list(wick::cpu_list_text(*cpus)) != *cpus) std::abort();
  return 0;
}
