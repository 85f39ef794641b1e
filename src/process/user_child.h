// run_as_user: does something in a child process that has become another user, with the descriptors
// it needs and none of our privileges. That user may stop or kill the child, and us nothing.
//
//   Status status = run_as_user(user, {tmp.get()}, stop, [&](const StopAsked& asked) -> Status {
//     …                                  // in the child: no other threads, our memory as it was
//   });
//
// Any thread may call.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "proc/file_user.h"

namespace wick {

using StopAsked = std::function<bool()>;

// Ends when the work does, soon after `stop` says so, or after `limit_ns`.
[[nodiscard]] Status run_as_user(const FileUser& user, std::vector<int> descriptors,
                                 const StopAsked& stop, u64 limit_ns,
                                 const std::function<Status(const StopAsked&)>& work);

}  // namespace wick
