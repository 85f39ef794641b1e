#include "kernel/own_privileges.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/capabilities.h"

namespace wick {
namespace {

template <class... Capabilities>
constexpr u64 bits_of(Capabilities... capabilities) {
  return (capability_bit(capabilities) | ...);
}

// What root needs to read and write files wherever root may, and to give them to who asked by sudo.
constexpr u64 kRootsFiles = bits_of(CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_CHOWN, CAP_FOWNER);
// Processes that start meanwhile have new mappings, tables (maps of BPF) and probes.
constexpr u64 kWhileSampling = bits_of(CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH,
                                       CAP_SYSLOG, CAP_CHECKPOINT_RESTORE);
// CAP_SYS_ADMIN stands for each of these, where a container has it and not them.
constexpr u64 kSplitOff = bits_of(CAP_BPF, CAP_PERFMON, CAP_CHECKPOINT_RESTORE, CAP_SYSLOG);
// Of root: to become a process's user for its files and its JVM, to end a command that was started,
// to be scheduled first.
constexpr u64 kRootWhileSampling =
    kWhileSampling | kRootsFiles | bits_of(CAP_SETUID, CAP_SETGID, CAP_KILL, CAP_SYS_NICE);
// A mount of tracefs, limits of memory and files, large rings.
constexpr u64 kToAttach =
    kWhileSampling | bits_of(CAP_SYS_ADMIN, CAP_SYS_RESOURCE, CAP_SYS_NICE, CAP_IPC_LOCK);

bool is_root() {
  return ::getuid() == 0;
}

Status keep_only(u64 kept) {
  CapabilitySets sets = own_capabilities();
  // A sandbox may refuse the call to who has nothing to drop.
  if (((sets.permitted | sets.effective) & ~kept) == 0 && sets.inheritable == 0) return {};
  sets.permitted &= kept;
  sets.effective &= kept;
  sets.inheritable = 0;
  return set_capabilities(sets);
}

// Commands that we start get none of ours.
void clear_ambient() {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

// Only with CAP_SETPCAP; without it, what we start gains nothing from us either.
void clear_bounding() {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
    ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

// Installed setuid, which nobody should: the one who called it reads their own files.
Status become_caller() {
  const gid_t gid = ::getgid();
  const uid_t uid = ::getuid();
  if (::getegid() != gid && ::setresgid(gid, gid, gid) != 0) return fail_errno("drop the group");
  if (::geteuid() != uid && ::setresuid(uid, uid, uid) != 0) return fail_errno("drop the user");
  return {};
}

Status keep_for_files() {
  if (is_root()) {
    (void)keep_only(kRootsFiles);  // caution, not a promise: root reads every file anyway
    return {};
  }
  clear_ambient();
  clear_bounding();
  TRY(become_caller());
  return keep_only(0);
}

// Reading every file is for files of processes, tracefs and /proc (RaisedCapability), not for what
// the person names on the command line.
Status keep_for_tracing() {
  if (is_root()) return {};
  clear_ambient();
  TRY(keep_only(kToAttach));
  CapabilitySets sets = own_capabilities();
  if ((sets.effective & capability_bit(CAP_DAC_READ_SEARCH)) == 0) return {};
  sets.effective &= ~capability_bit(CAP_DAC_READ_SEARCH);
  return set_capabilities(sets);
}

}  // namespace

Status keep_privileges(PrivilegeNeed need) {
  return need == PrivilegeNeed::files ? keep_for_files() : keep_for_tracing();
}

void drop_attach_privileges() {
  u64 kept = is_root() ? kRootWhileSampling : kWhileSampling;
  if ((own_capabilities().permitted & kSplitOff) != kSplitOff)
    kept |= capability_bit(CAP_SYS_ADMIN);
  // What cannot be dropped was not there.
  (void)keep_only(kept);
}

}  // namespace wick
