// What Wick keeps of its privileges, and when. Nothing it was given is held longer than it serves:
//
//   keep_privileges(PrivilegeNeed::files);      // convert, report, …: before anything is opened
//   keep_privileges(PrivilegeNeed::tracing);    // everything else
//   drop_attach_privileges();                   // programs and events are attached
//
// docs/security.md, "Privileges", has the lists. Thread rule: before other threads are started;
// the last one concerns the calling thread and those it starts.
#pragma once

#include "base/ids.h"
#include "base/result.h"

namespace wick {

enum class PrivilegeNeed : u8 { files, tracing };

[[nodiscard]] Status keep_privileges(PrivilegeNeed need);
void drop_attach_privileges();

}  // namespace wick
