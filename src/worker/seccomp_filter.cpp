#include "worker/seccomp_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.h"

namespace wick {
namespace {

#if defined(__x86_64__)
constexpr u32 kAuditArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr u32 kAuditArch = AUDIT_ARCH_AARCH64;
#else
#error "seccomp_filter.cpp: name this CPU's AUDIT_ARCH"
#endif

constexpr u32 kX32Bit = 0x40000000;  // system calls of another ABI, by other numbers

// Descriptors it was given, memory, time, and its own end.
constexpr int kAllowed[] = {
    SYS_read,         SYS_pread64,      SYS_pwrite64,       SYS_sendmsg,     SYS_recvmsg,
    SYS_close,        SYS_fstat,        SYS_newfstatat,     SYS_lseek,       SYS_munmap,
    SYS_mremap,       SYS_brk,          SYS_madvise,        SYS_futex,       SYS_clock_gettime,
    SYS_gettimeofday, SYS_getpid,       SYS_gettid,         SYS_getrandom,   SYS_sched_yield,
    SYS_rt_sigaction, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_sigaltstack, SYS_restart_syscall,
    SYS_exit,         SYS_exit_group,
};

// Nothing in Wick's worker leads to these.
constexpr int kDeadly[] = {
    SYS_execve,
    SYS_execveat,
    SYS_clone,
    SYS_clone3,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_io_uring_setup,
    SYS_userfaultfd,
    SYS_mount,
    SYS_init_module,
    SYS_finit_module,
    SYS_keyctl,
    SYS_add_key,
    SYS_kexec_load,
    SYS_setuid,
    SYS_setresuid,
    SYS_setns,
    SYS_unshare,
    SYS_open_by_handle_at,
    SYS_kill,
    SYS_tkill,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
#endif
};

constexpr sock_filter statement(u32 code, u32 value) {
  return {.code = static_cast<u16>(code), .jt = 0, .jf = 0, .k = value};
}
// Goes on with the next instruction when it holds, else `skip` further.
constexpr sock_filter unless(u32 code, u32 value, u8 skip) {
  return {.code = static_cast<u16>(BPF_JMP | BPF_K | code), .jt = 0, .jf = skip, .k = value};
}
constexpr sock_filter load(std::size_t offset) {
  return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<u32>(offset));
}
constexpr sock_filter returns(u32 action) {
  return statement(BPF_RET | BPF_K, action);
}

constexpr u32 kRefuse = SECCOMP_RET_ERRNO | EPERM;

class FilterProgram {
 public:
  FilterProgram() {
    add({load(offsetof(seccomp_data, arch)), unless(BPF_JEQ, kAuditArch, 1),
         statement(BPF_JMP | BPF_JA, 1), returns(SECCOMP_RET_KILL_PROCESS),
         load(offsetof(seccomp_data, nr)), unless(BPF_JGE, kX32Bit, 1),
         returns(SECCOMP_RET_KILL_PROCESS)});
  }
  void on(int number, u32 action) {
    add({unless(BPF_JEQ, static_cast<u32>(number), 1), returns(action)});
  }
  // Refused where any of `bits` is in the lower half of an argument.
  void without_bits(int number, unsigned argument, u32 bits) {
    add({unless(BPF_JEQ, static_cast<u32>(number), 4), low_half(argument),
         unless(BPF_JSET, bits, 1), returns(kRefuse), returns(SECCOMP_RET_ALLOW)});
  }
  // Allowed where the first argument is `value`.
  void only_with(int number, u32 value) {
    add({unless(BPF_JEQ, static_cast<u32>(number), 4), low_half(0), unless(BPF_JEQ, value, 1),
         returns(SECCOMP_RET_ALLOW), returns(kRefuse)});
  }
  [[nodiscard]] Status install() {
    add({returns(kRefuse)});
    const sock_fprog program{.len = static_cast<u16>(code_.size()), .filter = code_.data()};
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      return fail_errno("install a seccomp filter");
    return {};
  }

 private:
  void add(std::initializer_list<sock_filter> code) {
    code_.insert(code_.end(), code.begin(), code.end());
  }
  static sock_filter low_half(unsigned argument) {
    return load(offsetof(seccomp_data, args) + argument * sizeof(u64));
  }

  std::vector<sock_filter> code_;
};

}  // namespace

Status install_seccomp_filter() {
  FilterProgram program;
  for (const int number : kAllowed) program.on(number, SECCOMP_RET_ALLOW);
  for (const int number : kDeadly) program.on(number, SECCOMP_RET_KILL_PROCESS);
  // Memory is for data.
  program.without_bits(SYS_mmap, 2, PROT_EXEC);
  program.without_bits(SYS_mprotect, 2, PROT_EXEC);
  // abort() signals its own process.
  program.only_with(SYS_tgkill, static_cast<u32>(::getpid()));
  return program.install();
}

}  // namespace wick
