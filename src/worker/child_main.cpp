#include "worker/child_main.h"

#include <string_view>

#include "worker/opener_main.h"
#include "worker/worker_main.h"

namespace wick {
namespace {

bool has_become = false;

}  // namespace

void become_child_if_asked(int argc, char** argv) {
  has_become = true;
  if (argc != 2) return;
  if (std::string_view(argv[1]) == kWorkerArgument) run_worker(Fd{kWorkerSocket});
  if (std::string_view(argv[1]) == kOpenerArgument) run_opener(Fd{kWorkerSocket});
}

bool can_start_children() {
  return has_become;
}

}  // namespace wick
