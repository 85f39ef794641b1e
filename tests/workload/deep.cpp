// deep N [--seconds S] [--delay S]: burns at the bottom of N calls of descend().
#include "workload.h"

using namespace workload;

VISIBLE void at_the_bottom() {
  spin_until_time_is_up();
}

VISIBLE void descend(int calls_left) {
  if (calls_left > 1) {
    descend(calls_left - 1);
  } else {
    at_the_bottom();
  }
  asm volatile("");  // no tail call, and no loop made of the recursion
}

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  begin(options);
  descend(static_cast<int>(options.word_number(0, 100)));
  tell_cpu_seconds();
}
