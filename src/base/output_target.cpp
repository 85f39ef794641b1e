#include "base/output_target.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <vector>

#include "base/ids.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr int kMostLinks = 40;  // as the kernel has it
constexpr std::string_view kUsableTargets =
    "-o takes a regular file, a terminal, /dev/null, or /dev/stdout and a shell redirection";

// The person behind sudo. secure_getenv: of an environment that root made.
std::optional<OutputOwner> sudo_user() {
  if (::geteuid() != 0) return std::nullopt;
  const char* uid_text = ::secure_getenv("SUDO_UID");
  const char* gid_text = ::secure_getenv("SUDO_GID");
  if (uid_text == nullptr || gid_text == nullptr) return std::nullopt;
  const auto uid = parse_number<uid_t>(uid_text);
  const auto gid = parse_number<gid_t>(gid_text);
  if (!uid || !gid || *uid == 0) return std::nullopt;
  return OutputOwner{*uid, *gid};
}

// Whether nobody but us, root and the person behind sudo can put something into the folder.
bool is_only_ours(const struct stat& folder) {
  if ((folder.st_mode & (S_IWGRP | S_IWOTH)) != 0) return false;
  if (folder.st_uid == 0 || folder.st_uid == ::geteuid()) return true;
  const auto user = sudo_user();
  return user && user->uid == folder.st_uid;
}

Error write_error(const std::string& path, int code = errno) {
  return Error{.message = "write " + path, .code = code, .hint = {}};
}

// "/dev/stdout", "/dev/fd/63", "/proc/self/fd/1": the number, if the path is one of these.
std::optional<int> descriptor_number(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder)) return parse_number<int>(path.substr(folder.size()));
  return std::nullopt;
}

// As the shell opened it, a pipe above all. It is not opened again: that would need a right to the
// file it stands for, and for a regular file it would begin anew.
Result<OutputTarget> inherited_descriptor(const std::string& path, int number) {
  const int descriptor_flags = ::fcntl(number, F_GETFD);
  if (descriptor_flags < 0) return std::unexpected(write_error(path));
  // All of ours are close-on-exec; what came through exec is not.
  if ((descriptor_flags & FD_CLOEXEC) != 0)
    return fail("write " + path + ": not a descriptor that Wick was started with");
  const int flags = ::fcntl(number, F_GETFL);
  if (flags < 0) return std::unexpected(write_error(path));
  if ((flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH) != 0)
    return std::unexpected(write_error(path, EBADF));
  Fd copy{::fcntl(number, F_DUPFD_CLOEXEC, 0)};
  if (!copy.valid()) return std::unexpected(write_error(path));
  OutputTarget target;
  target.direct = std::move(copy);
  return target;
}

// Without opening it, since opening a device may act. Pseudoterminals are not in sysfs.
bool is_terminal_device(dev_t device) {
  constexpr unsigned kFirstPtyMajor = 136;
  constexpr unsigned kLastPtyMajor = 143;
  const unsigned number = major(device);
  if (number >= kFirstPtyMajor && number <= kLastPtyMajor) return true;
  const std::string link = "/sys/dev/char/" + std::to_string(number) + ":" +
                           std::to_string(minor(device)) + "/subsystem";
  std::array<char, PATH_MAX> text{};
  const ssize_t size = ::readlink(link.c_str(), text.data(), text.size());
  return size > 0 &&
         std::string_view(text.data(), static_cast<std::size_t>(size)).ends_with("/tty");
}

bool is_null_device(dev_t device) {
  return major(device) == 1 && minor(device) == 3;
}

const char* kind_name(mode_t mode) {
  if (S_ISFIFO(mode)) return "a named pipe (FIFO)";
  if (S_ISBLK(mode)) return "a block device";
  if (S_ISCHR(mode)) return "a device";
  if (S_ISSOCK(mode)) return "a socket";
  return "not a regular file";
}

struct Place {
  Fd folder;
  std::string name;
};

// Walks a path one name at a time, each below a folder that is held open.
class PathWalk {
 public:
  explicit PathWalk(const std::string& path) : path_(path) {}

  Result<Place> run() {
    TRY(enter(path_));
    while (true) {
      std::string name = std::move(pending_.back());
      pending_.pop_back();
      if (pending_.empty()) {
        // "x/" and "." name a folder, whatever it is.
        if (name.empty() || name == "." || name == "..") return error(EISDIR);
        if (!TRY(follow_last(name))) return Place{std::move(folder_), std::move(name)};
      } else if (!name.empty() && name != ".") {
        TRY(step(name));
      }
    }
  }

 private:
  [[nodiscard]] std::unexpected<Error> error(int code = errno) const {
    return std::unexpected(write_error(path_, code));
  }

  // The names of `text` come before those still pending.
  Status enter(std::string_view text) {
    if (text.empty()) return error(ENOENT);
    if (text.starts_with('/') || !folder_.valid()) {
      Fd start{::open(text.starts_with('/') ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
      if (!start.valid()) return error();
      folder_ = std::move(start);
    }
    const auto names = split(text, '/');
    pending_.insert(pending_.end(), names.rbegin(), names.rend());
    return {};
  }

  Status step(const std::string& name) {
    Fd next{::openat(folder_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
    struct stat info{};
    if (!next.valid() || ::fstat(next.get(), &info) != 0) return error();
    if (S_ISLNK(info.st_mode)) return follow(name, next);
    if (!S_ISDIR(info.st_mode)) return error(ENOTDIR);
    folder_ = std::move(next);
    return {};
  }

  // Whether the last name is a link, which was entered then.
  Result<bool> follow_last(const std::string& name) {
    const Fd link{::openat(folder_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
    if (!link.valid() && errno == ENOENT) return false;
    struct stat info{};
    if (!link.valid() || ::fstat(link.get(), &info) != 0) return error();
    if (!S_ISLNK(info.st_mode)) return false;
    TRY(follow(name, link));
    // A link of /proc to a folder.
    if (pending_.empty()) return error(EISDIR);
    return true;
  }

  Status follow(const std::string& name, const Fd& link) {
    struct stat folder{};
    if (::fstat(folder_.get(), &folder) != 0) return error();
    if (!is_only_ours(folder))
      return fail("write " + path_ + ": '" + name +
                      "' is a symbolic link in a folder that others can write; it is not followed",
                  "remove the link, or name the file it leads to");
    if (++links_ > kMostLinks) return error(ELOOP);
    struct statfs system{};
    if (::fstatfs(link.get(), &system) != 0) return error();
    // Links of /proc lead where their text does not: /proc/PID/root into another root.
    if (system.f_type == PROC_SUPER_MAGIC) {
      Fd target{::openat(folder_.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
      if (!target.valid()) return error();
      folder_ = std::move(target);
      return {};
    }
    std::array<char, PATH_MAX> text{};
    const ssize_t size = ::readlinkat(link.get(), "", text.data(), text.size());
    if (size < 0) return error();
    return enter({text.data(), static_cast<std::size_t>(size)});
  }

  const std::string& path_;
  Fd folder_;
  std::vector<std::string> pending_;  // the next name last
  int links_ = 0;
};

// The rename at the end would fail, and the result be lost, where a folder lets only owners delete.
bool may_be_replaced(const struct stat& folder, const struct stat& file) {
  const uid_t us = ::geteuid();
  if (us == 0 || (folder.st_mode & S_ISVTX) == 0) return true;
  return file.st_uid == us || folder.st_uid == us;
}

Result<OutputTarget> open_device(const std::string& path, const Place& place,
                                 const struct stat& info) {
  Fd fd{::openat(place.folder.get(), place.name.c_str(),
                 O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)};
  struct stat opened{};
  if (!fd.valid() || ::fstat(fd.get(), &opened) != 0) return std::unexpected(write_error(path));
  if (opened.st_rdev != info.st_rdev) return std::unexpected(write_error(path, EBUSY));
  OutputTarget target;
  target.direct = std::move(fd);
  return target;
}

}  // namespace

Result<OutputTarget> find_output_target(const std::string& path) {
  if (const auto number = descriptor_number(path)) return inherited_descriptor(path, *number);
  Place place = TRY(PathWalk{path}.run());
  struct stat folder{};
  if (::fstat(place.folder.get(), &folder) != 0) return std::unexpected(write_error(path));
  struct stat file{};
  const bool exists =
      ::fstatat(place.folder.get(), place.name.c_str(), &file, AT_SYMLINK_NOFOLLOW) == 0;
  if (!exists && errno != ENOENT) return std::unexpected(write_error(path));
  OutputTarget target;
  if (exists && S_ISDIR(file.st_mode)) return std::unexpected(write_error(path, EISDIR));
  if (exists && S_ISCHR(file.st_mode) &&
      (is_null_device(file.st_rdev) || is_terminal_device(file.st_rdev)))
    return open_device(path, place, file);
  if (exists && !S_ISREG(file.st_mode))
    return fail(
        "write " + path + ": it is " + kind_name(file.st_mode) + ", which Wick does not open",
        std::string(kUsableTargets));
  if (exists && !may_be_replaced(folder, file)) return std::unexpected(write_error(path, EPERM));
  if (exists && ::faccessat(place.folder.get(), place.name.c_str(), W_OK, AT_EACCESS) != 0)
    return std::unexpected(write_error(path));
  // Others may plant a second name of a file of ours, to have the output be as readable as that.
  const bool ours = exists && file.st_uid == ::geteuid() && file.st_nlink == 1;
  if (ours) target.kept_mode = file.st_mode & 0666;
  if (const auto user = sudo_user(); user && user->uid == folder.st_uid)
    target.owner = user;
  else if (ours)
    target.owner = OutputOwner{file.st_uid, file.st_gid};
  // Profiles hold everybody's file names and commands, and addresses of the kernel.
  target.mode = ::geteuid() == 0 ? 0600 : 0666;
  target.folder = std::move(place.folder);
  target.name = std::move(place.name);
  return target;
}

}  // namespace wick
