// What happens when memory runs out (operator new; `ulimit -v`): the first time a reserve is given
// up and whoever runs is to end as by Ctrl-C, with what was collected so far; the reserve is what
// names and output are made of. The second time std::bad_alloc is thrown, which the command line
// catches. There is one a process; any thread may ask.
//
//   hold_memory_reserve(stop_event);     // main, once: the descriptor is made readable then
//   if (memory_ran_out()) break;         // whoever collects
#pragma once

namespace wick {

void hold_memory_reserve(int wake_fd);
[[nodiscard]] bool memory_ran_out();

}  // namespace wick
