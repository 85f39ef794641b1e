#include "proc/mapped_file.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>

#include "base/capabilities.h"
#include "base/open_regular.h"

namespace wick {
namespace {

// The device of a mapping is the superblock's, and stat's is the subvolume's on btrfs and the
// overlay's on overlayfs (where most containers live): they differ for one and the same file. So a
// kernel's link is believed by its inode number alone; a path needs more, see below.
Status check_inode(const Fd& named, const ProcMapping& mapping) {
  struct stat info{};
  if (::fstat(named.get(), &info) != 0) return fail_errno("stat");
  if (info.st_ino == mapping.inode) return {};
  return fail(
      fmt::format("has inode {}, mapped was {}", static_cast<u64>(info.st_ino), mapping.inode));
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
  const Fd named = TRY(name_file("", path));
  const bool same_link = link_target(path) == mapping.path + (mapping.deleted ? " (deleted)" : "");
  if (!same_link) TRY_CTX(check_inode(named, mapping), path);
  Fd fd = TRY_CTX(open_named(named), path);
  return MappedFile{.fd = std::move(fd), .path = path, .root = ProcessRoot::of(pid)};
}

Result<MappedFile> open_by_exe(u32 pid, const ProcMapping& mapping) {
  const std::string path = fmt::format("/proc/{}/exe", pid);
  const Fd named = TRY(name_file("", path));
  TRY_CTX(check_inode(named, mapping), path);
  Fd fd = TRY_CTX(open_named(named), path);
  return MappedFile{.fd = std::move(fd), .path = path, .root = ProcessRoot::of(pid)};
}

bool same_device(const Fd& named, const ProcMapping& mapping) {
  struct stat info{};
  return ::fstat(named.get(), &info) == 0 && ::gnu_dev_major(info.st_dev) == mapping.dev_major &&
         ::gnu_dev_minor(info.st_dev) == mapping.dev_minor;
}

// A process can have any inode number it likes, in a file system of its own, and then put a link to
// another user's file in the place of the first. Device and inode together prove that the process
// had this file; otherwise (btrfs, overlayfs) it must be one that its user may read.
Result<MappedFile> open_by_path(const ProcessRoot& root, const std::string& path,
                                const ProcMapping& mapping) {
  const std::string where = root.path + path;
  const Fd named = TRY(name_file(root.path, path));
  TRY_CTX(check_inode(named, mapping), where);
  Fd fd =
      TRY_CTX(same_device(named, mapping) ? open_named(named) : open_offered(root, path), where);
  TRY_CTX(check_inode(fd, mapping), where);
  return MappedFile{.fd = std::move(fd), .path = where, .root = root};
}

}  // namespace

Result<MappedFile> open_mapped_file(u32 pid, const ProcMapping& mapping) {
  if (!mapping.of_file()) {
    return fail(mapping.path.empty() ? "anonymous memory has no file"
                                     : mapping.path + ": has no file");
  }
  const RaisedCapability any_folder{CAP_DAC_READ_SEARCH};
  if (auto file = open_by_map_files(pid, mapping)) return file;
  const ProcessRoot root = ProcessRoot::of(pid);
  Result<MappedFile> in_root = open_by_path(root, mapping.path, mapping);
  if (in_root) return in_root;
  if (auto file = open_by_path(root.ours(), mapping.path, mapping)) return file;
  if (auto file = open_by_exe(pid, mapping)) return file;
  if (mapping.deleted) {
    // Somebody may have called a file "x (deleted)", and there it is.
    if (auto file = open_by_path(root, mapping.path + " (deleted)", mapping)) return file;
    in_root.error().hint = "the file was deleted; reading it needs CAP_CHECKPOINT_RESTORE, or root";
  }
  return in_root;
}

}  // namespace wick
