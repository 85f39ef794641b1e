#include "proc/file_user.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/capabilities.h"

namespace wick {
namespace {

constexpr u32 kNobody = 65534;
constexpr u64 kOverride = capability_bit(CAP_DAC_OVERRIDE) | capability_bit(CAP_DAC_READ_SEARCH) |
                          capability_bit(CAP_FOWNER);

std::vector<u32> own_groups() {
  std::vector<u32> groups(static_cast<std::size_t>(std::max(0, ::getgroups(0, nullptr))));
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<std::size_t>(std::max(0, count)));
  return groups;
}

// The system call is for one thread; glibc's setgroups changes all of them.
bool set_thread_groups(const std::vector<u32>& groups) {
  return ::syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

// They return the value of before, failed or not; an impossible one asks for the present.
u32 file_system_uid() {
  return static_cast<u32>(::setfsuid(static_cast<uid_t>(-1)));
}
u32 file_system_gid() {
  return static_cast<u32>(::setfsgid(static_cast<gid_t>(-1)));
}

bool take_ids(u32 uid, u32 gid) {
  ::setfsgid(gid);
  ::setfsuid(uid);
  return file_system_uid() == uid && file_system_gid() == gid;
}

}  // namespace

FileUser file_user_of(const ProcessStatus& status) {
  return {.uid = status.file_system_uid, .gid = status.file_system_gid, .groups = status.groups};
}

FileUser nobody() {
  return {.uid = kNobody, .gid = kNobody, .groups = {}};
}

ScopedFileUser::ScopedFileUser(const FileUser& user)
    : groups_(own_groups()),
      uid_(file_system_uid()),
      gid_(file_system_gid()),
      effective_(own_capabilities().effective),
      dumpable_(::prctl(PR_GET_DUMPABLE) == 1) {
  const bool groups = user.groups == groups_ || set_thread_groups(user.groups);
  complete_ = take_ids(user.uid, user.gid) && groups;
  CapabilitySets sets = own_capabilities();
  sets.effective &= ~kOverride;
  complete_ = set_capabilities(sets).has_value() && complete_;
}

ScopedFileUser::~ScopedFileUser() {
  (void)take_ids(uid_, gid_);
  (void)set_thread_groups(groups_);
  CapabilitySets sets = own_capabilities();
  sets.effective = effective_;
  (void)set_capabilities(sets);
  // Another file system user makes the kernel forbid core dumps.
  if (dumpable_) ::prctl(PR_SET_DUMPABLE, 1);
}

}  // namespace wick
