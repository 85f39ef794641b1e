#include "proc/memory_room.h"

#include <algorithm>
#include <vector>

#include "base/fd.h"
#include "base/text.h"

namespace wick {
namespace {

// Version 1 says "no limit" by the largest number of pages there is.
constexpr u64 kNoLimit = u64{1} << 60;

// How the two versions call the same things.
struct MemoryFiles {
  std::string_view limit;
  std::string_view used;
  std::string_view cache;  // of memory.stat: both kinds of page cache end like this
};
constexpr MemoryFiles kVersion1{
    .limit = "memory.limit_in_bytes", .used = "memory.usage_in_bytes", .cache = "total_"};
constexpr MemoryFiles kVersion2{.limit = "memory.max", .used = "memory.current", .cache = ""};

struct CgroupMount {
  std::string root;  // which cgroup is to be seen at `point`
  std::string point;
};

// "31 23 0:27 /root /sys/fs/cgroup rw,… shared:9 - cgroup2 cgroup2 rw,…"
std::optional<CgroupMount> find_mount(std::string_view mountinfo, bool version2) {
  while (!mountinfo.empty()) {
    const std::string_view line = take_until(mountinfo, '\n');
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const auto head = split(line.substr(0, dash), ' ');
    const auto tail = split(line.substr(dash + 3), ' ');
    if (head.size() < 5 || tail.size() < 3) continue;
    const auto options = split(tail[2], ',');
    const bool wanted =
        version2 ? tail[0] == "cgroup2"
                 : tail[0] == "cgroup" && std::ranges::find(options, "memory") != options.end();
    if (wanted) return CgroupMount{std::string(head[3]), std::string(head[4])};
  }
  return std::nullopt;
}

// Our path, of "0::/user.slice" or "4:cpu,memory:/docker/1".
std::optional<std::string> find_path(std::string_view cgroups, bool version2) {
  while (!cgroups.empty()) {
    std::string_view line = take_until(cgroups, '\n');
    const std::string_view number = take_until(line, ':');
    const auto controllers = split(take_until(line, ':'), ',');
    const bool wanted =
        version2 ? number == "0" : std::ranges::find(controllers, "memory") != controllers.end();
    if (wanted) return std::string(line);
  }
  return std::nullopt;
}

std::optional<u64> read_number(const std::string& path) {
  const auto text = read_file(path);
  return text ? parse_number<u64>(trim(*text)) : std::nullopt;
}

u64 page_cache(const std::string& folder, std::string_view prefix) {
  u64 bytes = 0;
  const std::string text = read_file(folder + "/memory.stat").value_or("");
  for (const std::string_view line : split(text, '\n')) {
    std::string_view rest = line;
    const std::string_view name = take_until(rest, ' ');
    if (!name.starts_with(prefix)) continue;
    const std::string_view kind = name.substr(prefix.size());
    if (kind == "inactive_file" || kind == "active_file")
      bytes += parse_number<u64>(trim(rest)).value_or(0);
  }
  return bytes;
}

void look_at(const std::string& folder, const std::string& path, const MemoryFiles& files,
             std::optional<MemoryRoom>& tightest) {
  const auto limit = read_number(folder + "/" + std::string(files.limit));
  if (!limit || *limit >= kNoLimit) return;
  const u64 used = read_number(folder + "/" + std::string(files.used)).value_or(0);
  const u64 cache = page_cache(folder, files.cache);
  MemoryRoom room{.limit = *limit, .used = used - std::min(used, cache), .cgroup = path};
  if (!tightest || room.left() < tightest->left()) tightest = std::move(room);
}

}  // namespace

std::optional<MemoryRoom> own_memory_room(const std::string& root) {
  const std::string cgroups = read_file(root + "/proc/self/cgroup").value_or("");
  const std::string mountinfo = read_file(root + "/proc/self/mountinfo").value_or("");
  std::optional<MemoryRoom> tightest;
  for (const bool version2 : {false, true}) {
    const auto mount = find_mount(mountinfo, version2);
    auto path = find_path(cgroups, version2);
    if (!mount || !path) continue;
    // In a container the mount begins at its cgroup, while /proc may tell the path from the root.
    if (mount->root != "/" && path->starts_with(mount->root)) path->erase(0, mount->root.size());
    while (true) {
      if (path->ends_with('/')) path->pop_back();
      look_at(root + mount->point + *path, path->empty() ? "/" : *path,
              version2 ? kVersion2 : kVersion1, tightest);
      if (path->empty()) break;
      path->resize(path->rfind('/') == std::string::npos ? 0 : path->rfind('/'));
    }
  }
  return tightest;
}

Status check_memory_room(u64 needed) {
  const auto room = own_memory_room();
  if (!room || room->left() >= needed) return {};
  return fail("the cgroup " + printable(room->cgroup) + " has " +
                  std::to_string(room->left() >> 20) + " MB left of its " +
                  std::to_string(room->limit >> 20) + " MB, and Wick needs " +
                  std::to_string(needed >> 20),
              "raise its limit (memory.max, MemoryMax=), or start Wick outside of it");
}

}  // namespace wick
