#include "tool/histogram/fs_latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>

#include "tool/run/hooks.h"

namespace wick {

// In the order of bpf/fsdist.bpf.c.
constexpr std::array<std::string_view, 5> kOperations{"read", "write", "open", "fsync", "getattr"};

struct FileSystem {
  std::string_view name;
  std::array<const char*, kOperations.size()> functions;
};

namespace {

constexpr std::array<FileSystem, 8> kFileSystems{{
    {"bcachefs", {"bch2_read_iter", "bch2_write_iter", "bch2_open", "bch2_fsync", "bch2_getattr"}},
    {"btrfs",
     {"btrfs_file_read_iter", "btrfs_file_write_iter", "btrfs_file_open", "btrfs_sync_file",
      "btrfs_getattr"}},
    {"ext4",
     {"ext4_file_read_iter", "ext4_file_write_iter", "ext4_file_open", "ext4_sync_file",
      "ext4_file_getattr"}},
    {"f2fs",
     {"f2fs_file_read_iter", "f2fs_file_write_iter", "f2fs_file_open", "f2fs_sync_file",
      "f2fs_getattr"}},
    {"fuse",
     {"fuse_file_read_iter", "fuse_file_write_iter", "fuse_open", "fuse_fsync", "fuse_getattr"}},
    {"nfs", {"nfs_file_read", "nfs_file_write", "nfs_file_open", "nfs_file_fsync", "nfs_getattr"}},
    {"xfs",
     {"xfs_file_read_iter", "xfs_file_write_iter", "xfs_file_open", "xfs_file_fsync",
      "xfs_vn_getattr"}},
    {"zfs", {"zpl_iter_read", "zpl_iter_write", "zpl_open", "zpl_fsync", "zpl_getattr"}},
}};

// fs_read in a program's section is the first operation.
std::optional<std::size_t> operation_of(const ProbeSpec& probe) {
  for (std::size_t i = 0; i < kOperations.size(); i++)
    if (probe.target == fmt::format("fs_{}", kOperations[i])) return i;
  return std::nullopt;
}

}  // namespace

std::string file_system_names() {
  return fmt::format("{}",
                     fmt::join(kFileSystems | std::views::transform(&FileSystem::name), ", "));
}

Result<const FileSystem*> find_file_system(std::string_view name) {
  const auto* found = std::ranges::find(kFileSystems, name, &FileSystem::name);
  if (found == kFileSystems.end())
    return fail_usage(fmt::format("-t {}: no file system that is known here", printable(name)),
                      "one of " + file_system_names());
  return found;
}

Status set_file_system(BpfObject& object, const FileSystem& file_system) {
  for (ProbeSpec& probe : object.probes())
    if (const auto operation = operation_of(probe))
      probe.target = file_system.functions[*operation];
  const auto missing = TRY(leave_out_missing_functions(object));
  if (missing.size() < kOperations.size()) return {};
  TRY(need_function_hooks());
  return fail(fmt::format("{} is not in this kernel", file_system.name),
              fmt::format("mount one, or load its module: modprobe {}", file_system.name));
}

HistogramTool fs_latency_tool(const HistogramOptions& options, std::string_view file_system) {
  return {.heading = fmt::format("Tracing {} operation latency", file_system),
          .unit = options.time_unit(),
          .counted = "operation",
          .labels = [](const KeyedHistogram& one) -> HistogramLabels {
            const std::size_t at = std::min<std::size_t>(one.key.first, kOperations.size() - 1);
            return {{.name = "operation", .text = std::string(kOperations[at]), .is_quoted = true}};
          },
          .most_keys = kOperations.size()};
}

}  // namespace wick
