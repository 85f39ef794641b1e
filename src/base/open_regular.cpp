#include "base/open_regular.h"

#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace wick {
namespace {

// Symbolic links below `root` stay below it, as they do for the process itself: "/etc -> /data" of
// a container must not lead to our /data.
Result<Fd> find_in_root(const std::string& root, const std::string& path) {
  const Fd directory = TRY(Fd::open(root, O_PATH | O_DIRECTORY));
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const long fd = ::syscall(SYS_openat2, directory.get(), path.c_str(), &how, sizeof(how));
  if (fd >= 0) return Fd{static_cast<int>(fd)};
  // Before Linux 5.6, and in sandboxes that do not know the call: follow links as they are.
  if (errno == ENOSYS || errno == EPERM) return Fd::open(root + path, O_PATH);
  return fail_errno("open " + root + path);
}

}  // namespace

Result<Fd> name_file(const std::string& root, const std::string& path) {
  return root.empty() ? Fd::open(path, O_PATH) : find_in_root(root, path);
}

Result<Fd> open_named(const Fd& named) {
  struct stat info{};
  if (::fstat(named.get(), &info) != 0) return fail_errno("stat");
  if (!S_ISREG(info.st_mode)) return fail("not a regular file");
  return Fd::open("/proc/self/fd/" + std::to_string(named.get()), O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

Result<Fd> open_regular(const std::string& root, const std::string& path) {
  const Fd named = TRY(name_file(root, path));
  return TRY_CTX(open_named(named), "open " + root + path);
}

}  // namespace wick
