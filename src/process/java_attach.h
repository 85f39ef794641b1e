// Asks running JVMs for the names of what they compiled, as jcmd does but without any tool of the
// JDK: HotSpot listens on a socket in its /tmp once it is told to, by a file and SIGQUIT.
//
//   Wick                                        JVM
//   .attach_pidN in its folder, SIGQUIT  ──►    listens on /tmp/.java_pidN
//   "jcmd Compiler.perfmap"              ──►    writes /tmp/perf-N.map
//                                        ◄──    "0", and what went wrong otherwise
//
//   for (const Jvm& jvm : watch.jvms()) request_perf_map(jvm, stop);
//
// What is done in folders of the JVM is done as its user, in a child process: the JVM talks to
// nobody else, a hostile folder must not be walked as root, and its user may kill whoever has
// become that user. Any thread may call.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "process/jit_watch.h"

namespace wick {

[[nodiscard]] Status request_perf_map(const Jvm& jvm, const std::function<bool()>& stop);

// Whether SIGQUIT, the third signal, has a handler according to the text of /proc/PID/status.
// Without one it would end the process.
[[nodiscard]] bool catches_quit(std::string_view status);

// What the JVM answered: a number, then what it has to say.
[[nodiscard]] Status check_jvm_answer(std::string_view answer);

}  // namespace wick
