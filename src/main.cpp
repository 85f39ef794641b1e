#include <span>
#include <string_view>

#include "cli/run.h"
#include "worker/opener_main.h"
#include "worker/worker_main.h"

int main(int argc, char** argv) {
  // Not commands: what Wick starts to open and to read strangers' files in.
  if (argc == 2 && std::string_view(argv[1]) == wick::kWorkerArgument)
    wick::run_worker(wick::Fd{wick::kWorkerSocket});
  if (argc == 2 && std::string_view(argv[1]) == wick::kOpenerArgument)
    wick::run_opener(wick::Fd{wick::kWorkerSocket});
  return wick::run_command_line(std::span(argv, static_cast<std::size_t>(argc)));
}
