#include "worker/confine.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/capabilities.h"
#include "worker/seccomp_filter.h"

namespace wick {
namespace {

constexpr u32 kNobody = 65534;

// Sanitizers reserve terabytes that are never used.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kLimitsMemory = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif
#else
constexpr bool kLimitsMemory = true;
#endif

void drop_bounding_set() {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
    ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

// Without the capability, and where a user namespace has no such user, it stays who it is: without
// capabilities, and not dumpable, which keeps others of that user out of its memory.
void become_nobody() {
  if ((own_capabilities().effective & capability_bit(CAP_SETUID)) == 0) return;
  ::syscall(SYS_setgroups, 0, nullptr);
  ::syscall(SYS_setresgid, kNobody, kNobody, kNobody);
  ::syscall(SYS_setresuid, kNobody, kNobody, kNobody);
}

Status limit(decltype(RLIMIT_CPU) what, u64 value) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return fail_errno("read a limit");
  const u64 least = std::min<u64>(value, now.rlim_max);
  const rlimit set{.rlim_cur = least, .rlim_max = least};
  if (::setrlimit(what, &set) != 0) return fail_errno("set a limit");
  return {};
}

Status drop_privileges() {
  drop_bounding_set();
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  become_nobody();
  TRY(set_capabilities({}));
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_errno("set no_new_privs");
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return fail_errno("be not dumpable");
  const CapabilitySets left = own_capabilities();
  if ((left.permitted | left.effective | left.inheritable) != 0)
    return fail("capabilities could not be dropped");
  return {};
}

}  // namespace

Status confine(const ConfineLimits& limits) {
  TRY(drop_privileges());
  // A change of user clears it, so it comes after that.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  TRY(limit(RLIMIT_CORE, 0));
  if (kLimitsMemory) TRY(limit(RLIMIT_DATA, limits.data_bytes));
  TRY(limit(RLIMIT_CPU, limits.cpu_seconds));
  TRY(limit(RLIMIT_NOFILE, limits.files));
  TRY(limit(RLIMIT_FSIZE, limits.file_bytes));
  return install_seccomp_filter();
}

}  // namespace wick
