#include "base/open_regular.h"

#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace wick {
namespace {

// No fallback where openat2 is refused (Linux before 5.6, some sandboxes): links of a stranger
// would be followed wherever they lead.
Result<Fd> resolve_path(const Fd& folder, const std::string& path, u64 rules) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = rules;
  const long fd = ::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof(how));
  if (fd < 0) return fail_errno("open " + path);
  return Fd{static_cast<int>(fd)};
}

}  // namespace

// Symbolic links below `root` stay below it, as they do for the process itself: "/etc -> /data" of
// a container must not lead to our /data.
Result<Fd> name_below(const Fd& root, const std::string& path) {
  return resolve_path(root, path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

Result<Fd> name_entry(const Fd& folder, const std::string& name) {
  if (name.empty() || name.contains('/')) return fail("open " + name + ": not a name");
  return resolve_path(folder, name, RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS);
}

Result<Fd> name_file(const std::string& root, const std::string& path) {
  if (root.empty()) return Fd::open(path, O_PATH);
  const Fd folder = TRY(Fd::open(root, O_PATH | O_DIRECTORY));
  auto named = name_below(folder, path);
  if (!named) named.error().message = "open " + root + path;
  return named;
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
