// sleepy [--seconds S]: does nothing.
#include "workload.h"

using namespace workload;

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  begin(options);
  while (!time_is_up()) sleep_ns(20'000'000);
  tell_cpu_seconds();
}
