// exec_chain FOLDER [--ms 1000]: burns in work_in_000000, then becomes another program by exec
// without fork, which burns as long in work_in_000002. Same PID, same address, another name.
#include "binary_copy.h"
#include "workload.h"

using namespace workload;

VISIBLE void work_in_000000(Nanos cpu_ns) {
  spin(cpu_ns);
}

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  const auto cpu_ns = static_cast<Nanos>(options.number("ms", 1000) * 1e6);
  if (options.word(0) == "second") {
    stolen_before = machine_stolen_seconds();
    work_in_000000(cpu_ns);
    tell_cpu_seconds();
    return 0;
  }
  const std::string path = options.word(0) + "/second";
  write_copy(read_own_binary(), path, 2);
  begin(options);
  work_in_000000(cpu_ns);
  const std::string milliseconds = std::to_string(options.number("ms", 1000));
  ::execl(path.c_str(), path.c_str(), "second", "--ms", milliseconds.c_str(), nullptr);
  std::perror(path.c_str());
  return 1;
}
