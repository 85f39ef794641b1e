#include "kernel/tracefs.h"

#include <dirent.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/capabilities.h"
#include "base/text.h"

namespace wick {
namespace {

// tracefs is root's alone. Not for anything that a person names.
Result<Fd> open_mounted(const std::string& path) {
  const RaisedCapability roots_folder{CAP_DAC_READ_SEARCH};
  Fd fd = TRY(Fd::open(path, O_RDONLY | O_DIRECTORY));
  struct statfs system{};
  // /sys/kernel/tracing is there, and empty, when nothing is mounted on it.
  if (::fstatfs(fd.get(), &system) != 0) return fail_errno(path);
  if (system.f_type != TRACEFS_MAGIC) return fail(path + ": no tracefs is mounted there");
  return fd;
}

// A mount without a mount point, 5.2 and later. glibc 2.36 has these calls, older ones do not.
Result<Fd> open_detached() {
  const long context = ::syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
  if (context < 0) return fail_errno("fsopen tracefs");
  const Fd owner(static_cast<int>(context));
  if (::syscall(SYS_fsconfig, owner.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return fail_errno("fsconfig tracefs");
  }
  const long mount = ::syscall(SYS_fsmount, owner.get(), FSMOUNT_CLOEXEC, 0);
  if (mount < 0) return fail_errno("fsmount tracefs");
  return Fd{static_cast<int>(mount)};
}

Error no_tracefs(const Error& why) {
  Error error = with_context(why, "no tracefs, which lists the tracepoints");
  if (why.code == ENODEV) {
    error.hint = "this kernel has none: it needs CONFIG_TRACING=y";
  } else if (why.code == EPERM || why.code == EACCES) {
    error.hint = "as root: mount -t tracefs tracefs /sys/kernel/tracing";
  } else {
    error.hint = "mount -t tracefs tracefs /sys/kernel/tracing";
  }
  return error;
}

// Names reach a path, so nothing that leads elsewhere.
bool is_event_name(std::string_view name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !name.empty() && name.size() < 256 && name[0] != '.' &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

Status check_names(std::string_view category, std::string_view name) {
  if (is_event_name(category) && is_event_name(name)) return {};
  return fail_usage(fmt::format("'{}:{}' is no tracepoint", printable(category), printable(name)),
                    "they are written category:name, such as sched:sched_switch");
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

Result<Tracefs> Tracefs::open() {
  Error refused;
  for (const char* path : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    auto mounted = open_mounted(path);
    if (mounted) return Tracefs{*std::move(mounted), path};
    if (mounted.error().code == EACCES) refused = std::move(mounted).error();
  }
  auto detached = open_detached();
  if (detached) return Tracefs{*std::move(detached), ""};
  if (refused.code == EACCES) {
    refused.hint =
        "run as root, or let your group in: mount -o remount,gid=GROUP /sys/kernel/tracing";
    return std::unexpected(std::move(refused));
  }
  return std::unexpected(no_tracefs(detached.error()));
}

Result<u64> Tracefs::event_id(std::string_view category, std::string_view name) const {
  const std::string text = TRY(read_event_file(category, name, "id"));
  const auto id = parse_number<u64>(trim(text));
  if (!id) return fail(fmt::format("events/{}/{}/id is no number", category, name));
  return *id;
}

Result<std::string> Tracefs::event_format(std::string_view category, std::string_view name) const {
  return read_event_file(category, name, "format");
}

Result<std::vector<std::string>> Tracefs::categories() const {
  return folders("events");
}

Result<std::vector<std::string>> Tracefs::events(std::string_view category) const {
  if (!is_event_name(category)) return fail_usage("no category '" + printable(category) + "'");
  return folders(fmt::format("events/{}", category));
}

Result<std::string> Tracefs::read_event_file(std::string_view category, std::string_view name,
                                             std::string_view file) const {
  TRY(check_names(category, name));
  const RaisedCapability roots_file{CAP_DAC_READ_SEARCH};
  const auto fd = Fd::open_at(root_.get(), fmt::format("events/{}/{}/{}", category, name, file));
  if (!fd && fd.error().code == ENOENT) return unknown_event(category, name);
  if (!fd) return std::unexpected(fd.error());
  return TRY_CTX(read_to_end(*fd), fmt::format("{}:{}", category, name));
}

Result<std::vector<std::string>> Tracefs::folders(const std::string& path) const {
  const RaisedCapability roots_folder{CAP_DAC_READ_SEARCH};
  Fd fd = TRY(Fd::open_at(root_.get(), path, O_RDONLY | O_DIRECTORY));
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(fd.get()), &::closedir);
  if (!directory) return fail_errno("read " + path);
  fd.release();  // closedir closes it
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name(static_cast<const char*>(entry->d_name));
    if (entry->d_type == DT_DIR && !name.starts_with('.')) names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::unexpected<Error> Tracefs::unknown_event(std::string_view category,
                                              std::string_view name) const {
  const auto in_category = events(category);
  const bool has_category = in_category.has_value();
  const auto names = has_category ? in_category : categories();
  const auto near =
      nearest_names(names ? *names : std::vector<std::string>{}, has_category ? name : category);
  std::string message = has_category ? fmt::format("no tracepoint {}:{}", category, name)
                                     : fmt::format("no tracepoint category '{}'", category);
  if (near.empty()) return fail_usage(std::move(message));
  return fail_usage(std::move(message), fmt::format("near it: {}", fmt::join(near, ", ")));
}

Result<u64> tracepoint_id(std::string_view category, std::string_view name) {
  TRY(check_names(category, name));
  const Tracefs tracefs = TRY(Tracefs::open());
  return tracefs.event_id(category, name);
}

std::vector<std::string> nearest_names(const std::vector<std::string>& names,
                                       std::string_view wanted) {
  constexpr std::size_t kMost = 5;
  constexpr std::size_t kShared = 3;
  struct Candidate {
    bool holds;
    std::size_t shared;
    const std::string* name;
  };
  std::vector<Candidate> candidates;
  for (const std::string& name : names) {
    const Candidate candidate{.holds = name.find(wanted) != std::string::npos,
                              .shared = common_prefix(name, wanted),
                              .name = &name};
    if (candidate.holds || candidate.shared >= kShared) candidates.push_back(candidate);
  }
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    return std::pair(a.holds, a.shared) > std::pair(b.holds, b.shared);
  });
  std::vector<std::string> near;
  for (const Candidate& candidate : candidates) {
    if (near.size() == kMost) break;
    near.push_back(*candidate.name);
  }
  return near;
}

}  // namespace wick
