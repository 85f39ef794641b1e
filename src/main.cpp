#include <span>

#include "cli/run.h"

int main(int argc, char** argv) {
  return wick::run_command_line(std::span(argv, static_cast<std::size_t>(argc)));
}
