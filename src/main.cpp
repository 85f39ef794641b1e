#include <span>
#include <string_view>

#include "cli/run.h"
#include "worker/worker_main.h"

int main(int argc, char** argv) {
  // Not a command: what Wick starts to read strangers' files in.
  if (argc == 2 && std::string_view(argv[1]) == wick::kWorkerArgument)
    wick::run_worker(wick::Fd{wick::kWorkerSocket});
  return wick::run_command_line(std::span(argv, static_cast<std::size_t>(argc)));
}
