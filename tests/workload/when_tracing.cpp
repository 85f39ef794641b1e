// when_tracing PID COMMAND...: becomes the command once the wick with that PID has attached all it
// counts by, or has ended. For what a test does while a wick that was started in its shell looks:
//   wick dirtop ... & when_tracing $! dd ...
// Not for a wick that has events to read all the time: it is not seen to wait.
#include <unistd.h>

#include <cstdio>

#include "traced.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string process = std::string("/proc/") + argv[1];
  workload::wait_until([&] {
    return workload::is_tracing(process) || ::access((process + "/exe").c_str(), F_OK) != 0;
  });
  ::execvp(argv[2], argv + 2);
  std::perror(argv[2]);
  return 127;
}
