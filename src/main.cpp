#include <span>

#include "cli/run.h"
#include "worker/worker_main.h"

int main(int argc, char** argv) {
  // Not a command: what Wick starts to read strangers' files in.
  wick::become_worker_if_asked(argc, argv);
  return wick::run_command_line(std::span(argv, static_cast<std::size_t>(argc)));
}
