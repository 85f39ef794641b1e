#include <span>

#include "cli/run.h"
#include "worker/child_main.h"

int main(int argc, char** argv) {
  // Not commands: what Wick starts to open and to read strangers' files in.
  wick::become_child_if_asked(argc, argv);
  return wick::run_command_line(std::span(argv, static_cast<std::size_t>(argc)));
}
