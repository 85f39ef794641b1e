// cgroup v2: the id that bpf_get_current_cgroup_id() gives, from the path a person types.
// Thread rule: free functions, no state.
//
//   u64 id = TRY(cgroup_id("/system.slice/nginx.service"));      // below the cgroup2 mount
//   u64 id = TRY(cgroup_id("/sys/fs/cgroup/system.slice"));      // or from the root
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

// Where cgroup2 is mounted according to the text of a mountinfo: /sys/fs/cgroup, or on hybrid
// systems /sys/fs/cgroup/unified.
[[nodiscard]] std::optional<std::string> find_cgroup2_mount(std::string_view mountinfo);

// Its directory: what a BPF cgroup array takes.
[[nodiscard]] Result<Fd> open_cgroup(std::string_view path);
[[nodiscard]] Result<u64> cgroup_id(std::string_view path);
// The path of a cgroup by its id, below the cgroup2 mount; "" when it is gone.
[[nodiscard]] std::string cgroup_path(u64 id);

}  // namespace wick
