#include "proc/cgroup.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstring>
#include <vector>

#include "base/fd.h"
#include "base/text.h"

namespace wick {
namespace {

// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescape_octal(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text.size() >= 4 && text[0] == '\\') {
      if (const auto byte = parse_number<u8>(text.substr(1, 3), 8)) {
        out.push_back(static_cast<char>(*byte));
        text.remove_prefix(4);
        continue;
      }
    }
    out.push_back(text[0]);
    text.remove_prefix(1);
  }
  return out;
}

Result<std::string> cgroup2_mount() {
  constexpr std::size_t kMountinfoLimit = std::size_t{16} << 20U;
  const std::string mounts = TRY(read_file("/proc/self/mountinfo", kMountinfoLimit));
  auto mount = find_cgroup2_mount(mounts);
  if (!mount) {
    return fail("no cgroup2 file system is mounted",
                "mount one: mkdir /sys/fs/cgroup/unified; mount -t cgroup2 cgroup2 "
                "/sys/fs/cgroup/unified");
  }
  return *std::move(mount);
}

// The file handle of a cgroup is its 64-bit id.
std::optional<u64> handle_id(const Fd& directory) {
  constexpr unsigned kIdBytes = sizeof(u64);
  alignas(file_handle) unsigned char room[sizeof(file_handle) + kIdBytes] = {};
  auto* handle = reinterpret_cast<file_handle*>(room);
  handle->handle_bytes = kIdBytes;
  int mount_id = 0;
  if (::name_to_handle_at(directory.get(), "", handle, &mount_id, AT_EMPTY_PATH) != 0 ||
      handle->handle_bytes != kIdBytes) {
    return std::nullopt;
  }
  u64 id = 0;
  std::memcpy(&id, room + sizeof(file_handle), sizeof(id));
  return id;
}

Result<Fd> open_directory(const std::string& path) {
  Fd directory = TRY(Fd::open(path, O_RDONLY | O_DIRECTORY));
  struct statfs system{};
  if (::fstatfs(directory.get(), &system) != 0) return fail_errno("statfs");
  if (system.f_type != CGROUP2_SUPER_MAGIC) {
    return fail_usage(printable(path) + ": is no cgroup of version 2");
  }
  return directory;
}

bool exists(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0;
}

// The other way round: FILEID_KERNFS, the kernel's type of such a handle.
Fd open_by_id(const Fd& mount, u64 id) {
  constexpr int kKernfsHandle = 0xFE;
  alignas(file_handle) unsigned char room[sizeof(file_handle) + sizeof(id)] = {};
  auto* handle = reinterpret_cast<file_handle*>(room);
  handle->handle_bytes = sizeof(id);
  handle->handle_type = kKernfsHandle;
  std::memcpy(room + sizeof(file_handle), &id, sizeof(id));
  return Fd{::open_by_handle_at(mount.get(), handle, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
}

}  // namespace

std::optional<std::string> find_cgroup2_mount(std::string_view mountinfo) {
  // 41 31 0:38 / /sys/fs/cgroup/unified rw,relatime [optional fields…] - cgroup2 cgroup2 rw
  while (!mountinfo.empty()) {
    std::string_view line = take_until(mountinfo, '\n');
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    std::string_view type = line.substr(dash + 3);
    if (take_until(type, ' ') != "cgroup2") continue;
    const std::vector<std::string_view> fields = split(line.substr(0, dash), ' ');
    constexpr std::size_t kMountPoint = 4;
    if (fields.size() > kMountPoint) return unescape_octal(fields[kMountPoint]);
  }
  return std::nullopt;
}

Result<Fd> open_cgroup(std::string_view path) {
  if (path.empty()) return fail_usage("an empty cgroup path");
  const std::string mount = TRY(cgroup2_mount());
  const std::string typed(path);
  // "/system.slice" is how /proc/PID/cgroup and systemctl write what lies below the mount.
  std::string below = mount + (path.starts_with('/') ? "" : "/") + typed;
  const bool absolute = path.starts_with('/') && exists(typed) && !exists(below);
  if (!absolute && !exists(below)) {
    return fail_usage("no cgroup " + printable(path) + " below " + mount,
                      "`systemd-cgls` or /proc/PID/cgroup show their names");
  }
  return open_directory(absolute ? typed : below);
}

Result<u64> cgroup_id(std::string_view path) {
  const Fd directory = TRY(open_cgroup(path));
  if (const auto id = handle_id(directory)) return *id;
  // On 64-bit kernels since 5.5 the inode number is the same id.
  struct stat info{};
  if (::fstat(directory.get(), &info) != 0) return fail_errno("stat");
  return u64{info.st_ino};
}

std::string cgroup_path(u64 id) {
  const Result<std::string> mount = cgroup2_mount();
  if (!mount) return {};
  const Result<Fd> root = open_directory(*mount);
  if (!root) return {};
  const Fd cgroup = open_by_id(*root, id);
  if (!cgroup.valid()) return {};
  std::array<char, PATH_MAX> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(cgroup.get());
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  const std::string_view whole{path.data(), length < 0 ? 0 : static_cast<std::size_t>(length)};
  if (!whole.starts_with(*mount)) return std::string{whole};
  return whole.size() == mount->size() ? "/" : std::string{whole.substr(mount->size())};
}

}  // namespace wick
