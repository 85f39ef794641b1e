// How long a file system's reads, writes, opens, fsyncs and stats take: what fsdist and ext4dist
// share. bpf/fsdist.bpf.c measures fs_read and the others; here they become the functions of the
// file system that was asked for.
//
//   return run_fs_latency<fsdist_bpf>(session, options, "xfs");
#pragma once

#include <bpf/libbpf.h>

#include <string>
#include <string_view>

#include "tool/histogram/histogram_run.h"

namespace wick {

struct FileSystem;

// "btrfs, ext4, …"
[[nodiscard]] std::string file_system_names();
// A usage error with all names for one that is not known.
[[nodiscard]] Result<const FileSystem*> find_file_system(std::string_view name);
// Fails when it is not in the kernel.
[[nodiscard]] Status set_file_system(BpfObject& object, const FileSystem& file_system);
[[nodiscard]] HistogramTool fs_latency_tool(const HistogramOptions& options,
                                            std::string_view file_system);

template <Skeleton S>
[[nodiscard]] Result<int> run_fs_latency(Session& session, const HistogramOptions& options,
                                         std::string_view name) {
  const FileSystem* file_system = TRY(find_file_system(name));
  return run_histogram<S>(
      session, options, fs_latency_tool(options, name),
      [&](S&, BpfObject& object) { return set_file_system(object, *file_system); });
}

template <class O>
inline constexpr auto kFsLatencyOptions =
    wick::all_of(kHistogramOptions<O>, kTaskFilterOptions<O>, kHookOptions<O>);  // not std's

}  // namespace wick
