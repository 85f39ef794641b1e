#include "proc/process_root.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/open_regular.h"

namespace wick {
namespace {

// Where we cannot become the user, its own files and those for everyone are left.
Status check_readable(const Fd& named, u32 uid) {
  struct stat info{};
  if (::fstat(named.get(), &info) != 0) return fail_errno("stat");
  if (info.st_uid == uid || (info.st_mode & S_IROTH) != 0) return {};
  return fail(fmt::format("not a file that user {} may read", uid));
}

// /proc/PID, once open, names one process for good: nothing is found below it when that has ended.
Result<Fd> open_root_of(u32 pid, const FileUser& user) {
  const Fd process = TRY(Fd::open(fmt::format("/proc/{}", pid), O_PATH | O_DIRECTORY));
  const Fd status = TRY(Fd::open_at(process.get(), "status"));
  const auto parsed = parse_status(TRY(read_to_end(status)));
  if (!parsed || parsed->file_system_uid != user.uid) return fail("the process has ended");
  return Fd::open_at(process.get(), "root", O_PATH | O_DIRECTORY);
}

Result<Fd> open_as(const FileUser& user, const Fd* root, const std::string& path) {
  const ScopedFileUser as{user};
  const Fd named = TRY(root == nullptr ? Fd::open(path, O_PATH) : name_below(*root, path));
  if (!as.complete()) TRY(check_readable(named, user.uid));
  return open_named(named);
}

}  // namespace

ProcessRoot ProcessRoot::of(u32 pid) {
  const auto status = read_status(pid);
  ProcessRoot root{fmt::format("/proc/{}/root", pid)};
  root.pid = pid;
  root.user = status ? file_user_of(*status) : nobody();
  return root;
}

ProcessRoot ProcessRoot::ours() const {
  ProcessRoot root;
  root.user = user;
  root.host = host;
  return root;
}

Result<Fd> open_offered(const ProcessRoot& root, const std::string& path) {
  if (root.host != nullptr) return root.host->open_offered(!root.path.empty(), path);
  if (!root.user) return open_regular(root.path, path);
  const std::string what = "open " + root.path + path;
  if (root.pid == 0) return TRY_CTX(open_as(*root.user, nullptr, path), what);
  const Fd folder = TRY_CTX(open_root_of(root.pid, *root.user), what);
  return TRY_CTX(open_as(*root.user, &folder, path), what);
}

}  // namespace wick
