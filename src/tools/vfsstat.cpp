// wick vfsstat: how often the virtual file system is called, each second. bcc's text; counted by
// bpf/vfsstat.bpf.c.
#include <fmt/format.h>

#include "tool/command/command.h"
#include "tool/table/table_run.h"

#include "vfsstat.skel.h"

namespace wick {
namespace {

struct VfsstatOptions : TableOptions {
  VfsstatOptions() {
    interval = 1;
    timestamp = true;
  }
};

// In the order of bpf/vfsstat.bpf.c.
constexpr std::array<std::pair<const char*, const char*>, 8> kCalls{{{"READ", "reads"},
                                                                     {"WRITE", "writes"},
                                                                     {"FSYNC", "fsyncs"},
                                                                     {"OPEN", "opens"},
                                                                     {"CREATE", "creates"},
                                                                     {"UNLINK", "unlinks"},
                                                                     {"MKDIR", "mkdirs"},
                                                                     {"RMDIR", "rmdirs"}}};

Result<int> run(Session& session, const VfsstatOptions& options, const Trailing& /*unused*/) {
  TableTool tool{.layout = TableLayout::lines,
                 .by_number = true,
                 .after_time = ": ",
                 .counted = "call",
                 .counted_amounts = kCalls.size(),
                 .columns = {}};
  for (std::size_t i = 0; i < kCalls.size(); i++) {
    const auto& [title, name] = kCalls[i];
    tool.columns.push_back(
        rate_column(fmt::format("{}/s", title), fmt::format("{}_per_s", name), 8, i));
    tool.columns.push_back(amount_column("", name, 0, i));
  }
  return run_table<vfsstat_bpf>(session, options, tool, [](vfsstat_bpf&) {});
}

using O = VfsstatOptions;
constexpr auto kOptions = all_of(kTaskFilterOptions<O>, kTableOptions<O>, kHookOptions<O>);
constexpr std::array kExamples{
    Example{"wick vfsstat 1 2", "two seconds of everybody's calls, a line each"},
    Example{"wick vfsstat -p 4321 1 1", "those of one process"},
};

}  // namespace

extern constexpr Command vfsstat_command = command<VfsstatOptions, run>({
    .name = "vfsstat",
    .group = "Files and cache",
    .summary = "how often the virtual file system is called",
    .description =
        "Counts calls of vfs_read, vfs_write, vfs_fsync_range, vfs_open, vfs_unlink, vfs_mkdir and "
        "vfs_rmdir; CREATE is files made by open(O_CREAT), or by vfs_create, as mknod does. On "
        "kernels that let nobody hook their functions it counts system calls as they return: then "
        "what the kernel reads, opens and syncs on its own account is missing (an exec's files, "
        "O_SYNC writes, msync, io_uring), and what was refused for want of permission.",
    .options = kOptions,
    .positionals = kTopPositionals<O>,
    .examples = kExamples,
});

}  // namespace wick
