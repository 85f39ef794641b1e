#include "proc/mapped_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/open_regular.h"

namespace wick {
namespace {

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
  const Fd named = TRY(name_file("", path));
  const bool same_link = link_target(path) == mapping.path + (mapping.deleted ? " (deleted)" : "");
  if (!same_link) TRY_CTX(check_inode(named, mapping), path);
  Fd fd = TRY_CTX(open_named(named), path);
  return MappedFile{.fd = std::move(fd), .path = path, .root = root_of(pid)};
}

Result<MappedFile> open_by_exe(u32 pid, const ProcMapping& mapping) {
  const std::string path = fmt::format("/proc/{}/exe", pid);
  const Fd named = TRY(name_file("", path));
  TRY_CTX(check_inode(named, mapping), path);
  Fd fd = TRY_CTX(open_named(named), path);
  return MappedFile{.fd = std::move(fd), .path = path, .root = root_of(pid)};
}

Result<MappedFile> open_by_path(const std::string& root, const std::string& path,
                                const ProcMapping& mapping) {
  const Fd named = TRY(name_file(root, path));
  TRY_CTX(check_inode(named, mapping), root + path);
  Fd fd = TRY_CTX(open_named(named), root + path);
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
