// fibers [--seconds S]: burns one part of its CPU time on the thread's own stack and two on a stack
// it made by hand, as libraries of coroutines do: the return address at its bottom is 0. No call
// frame information says that anything begins there, so nothing may call it a root.
#include "workload.h"

using namespace workload;

// void enter_fiber(void (*entry)(), void* top): returns when the fiber calls leave_fiber().
extern "C" void enter_fiber(void (*entry)(), void* top);
extern "C" [[noreturn]] void leave_fiber();
asm(R"(
  .pushsection .text
  .globl enter_fiber
  .type enter_fiber, @function
enter_fiber:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, threads_own_sp(%rip)
  mov %rsi, %rsp
  xor %ebp, %ebp
  push $0
  jmp *%rdi
  .size enter_fiber, .-enter_fiber

  .globl leave_fiber
  .type leave_fiber, @function
leave_fiber:
  mov threads_own_sp(%rip), %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
  .size leave_fiber, .-leave_fiber
  .popsection
  .pushsection .bss
  .balign 8
threads_own_sp:
  .skip 8
  .popsection
)");

VISIBLE void burn_on_thread() {
  spin(10'000'000);
}

VISIBLE void burn_on_fiber() {
  spin(20'000'000);
}

VISIBLE void fiber_entry() {
  burn_on_fiber();
  leave_fiber();
}

int main(int argc, char** argv) {
  const Options options(argc, argv);
  begin(options);
  alignas(16) static char stack[64 << 10];
  while (!time_is_up()) {
    burn_on_thread();
    enter_fiber(fiber_entry, stack + sizeof(stack));
  }
  tell_cpu_seconds();
}
