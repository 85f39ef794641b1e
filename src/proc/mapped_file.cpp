#include "proc/mapped_file.h"

#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace wick {
namespace {

// O_PATH names a file without opening it: what it is can be asked before a driver, a FIFO's writer
// or a tape notices. (Opening /dev/watchdog, for one, starts it.)
Result<Fd> name_file(const std::string& path) {
  return Fd::open(path, O_PATH);
}

// Symbolic links below `root` stay below it, as they do for the process itself: "/etc -> /data" of
// a container must not lead to our /data.
Result<Fd> name_file_in_root(const std::string& root, const std::string& path) {
  const Fd directory = TRY(Fd::open(root, O_PATH | O_DIRECTORY));
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const long fd = ::syscall(SYS_openat2, directory.get(), path.c_str(), &how, sizeof(how));
  if (fd >= 0) return Fd{static_cast<int>(fd)};
  // openat2 came with 5.6, and container sandboxes answer EPERM to calls they do not know.
  if (errno == ENOSYS || errno == EPERM) return name_file(root + path);
  return fail_errno("open " + root + path);
}

// Only the inode number is compared. The device of a mapping is the superblock's, and stat's is the
// subvolume's on btrfs and the overlay's on overlayfs (where most containers live): they differ
// for one and the same file. A false match needs the same path and the same inode number on
// another device, and would then cost wrong names, not safety.
Status check_inode(const Fd& named, const ProcMapping& mapping) {
  struct stat info{};
  if (::fstat(named.get(), &info) != 0) return fail_errno("stat");
  if (info.st_ino == mapping.inode) return {};
  return fail(
      fmt::format("has inode {}, mapped was {}", static_cast<u64>(info.st_ino), mapping.inode));
}

Result<Fd> open_regular(const Fd& named) {
  struct stat info{};
  if (::fstat(named.get(), &info) != 0) return fail_errno("stat");
  if (!S_ISREG(info.st_mode)) return fail("not a regular file");
  return Fd::open("/proc/self/fd/" + std::to_string(named.get()), O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

std::string root_of(u32 pid) {
  return fmt::format("/proc/{}/root", pid);
}

std::string link_target(const std::string& link) {
  std::array<char, 4096> target{};
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
  return size < 0 ? std::string{} : std::string(target.data(), static_cast<std::size_t>(size));
}

// The kernel's own link to the file, so the path needs no looking up. It may be another mapping by
// now: the inode tells, and where overlayfs shows another inode than stat does (a file copied up,
// before 6.8), the link's text, which the maps line had too.
Result<MappedFile> open_by_map_files(u32 pid, const ProcMapping& mapping) {
  const std::string path =
      fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, mapping.start, mapping.end);
  const Fd named = TRY(name_file(path));
  const bool same_link = link_target(path) == mapping.path + (mapping.deleted ? " (deleted)" : "");
  if (!same_link) TRY_CTX(check_inode(named, mapping), path);
  Fd fd = TRY_CTX(open_regular(named), path);
  return MappedFile{.fd = std::move(fd), .path = path, .root = root_of(pid)};
}

Result<MappedFile> open_by_exe(u32 pid, const ProcMapping& mapping) {
  const std::string path = fmt::format("/proc/{}/exe", pid);
  const Fd named = TRY(name_file(path));
  TRY_CTX(check_inode(named, mapping), path);
  Fd fd = TRY_CTX(open_regular(named), path);
  return MappedFile{.fd = std::move(fd), .path = path, .root = root_of(pid)};
}

Result<MappedFile> open_by_path(const std::string& root, const std::string& path,
                                const ProcMapping& mapping) {
  const Fd named = TRY(root.empty() ? name_file(path) : name_file_in_root(root, path));
  TRY_CTX(check_inode(named, mapping), root + path);
  Fd fd = TRY_CTX(open_regular(named), root + path);
  return MappedFile{.fd = std::move(fd), .path = root + path, .root = root};
}

}  // namespace

Result<MappedFile> open_mapped_file(u32 pid, const ProcMapping& mapping) {
  if (!mapping.of_file()) {
    return fail(mapping.path.empty() ? "anonymous memory has no file"
                                     : mapping.path + ": has no file");
  }
  if (auto file = open_by_map_files(pid, mapping)) return file;
  const std::string root = root_of(pid);
  Result<MappedFile> in_root = open_by_path(root, mapping.path, mapping);
  if (in_root) return in_root;
  if (auto file = open_by_path("", mapping.path, mapping)) return file;
  if (auto file = open_by_exe(pid, mapping)) return file;
  if (mapping.deleted) {
    // Somebody may have called a file "x (deleted)", and there it is.
    if (auto file = open_by_path(root, mapping.path + " (deleted)", mapping)) return file;
    in_root.error().hint = "the file was deleted; reading it needs CAP_CHECKPOINT_RESTORE, or root";
  }
  return in_root;
}

}  // namespace wick
