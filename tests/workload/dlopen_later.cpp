// dlopen_later [--ms 1000] [--delay S]: burns in spin_in_program, then loads a library and burns as
// long in its spin_in_library. Linked dynamically, unlike the others: it needs the machine's libc.
#include <dlfcn.h>

#include <filesystem>

#include "workload.h"

using namespace workload;

VISIBLE void spin_in_program(unsigned long cpu_ns) {
  spin(cpu_ns);
}

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  const auto cpu_ns = static_cast<Nanos>(options.number("ms", 1000) * 1e6);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string folder = program.substr(0, program.rfind('/') + 1);
  begin(options);
  spin_in_program(cpu_ns);
  void* library = ::dlopen((folder + "liblater.so").c_str(), RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return 1;
  }
  using Function = void (*)(unsigned long);
  const auto function = reinterpret_cast<Function>(::dlsym(library, "spin_in_library"));
  function(cpu_ns);
  tell_cpu_seconds();
}
