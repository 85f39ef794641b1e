// wick dirtop: reads and writes by directory. bcc's options and text; counted by
// bpf/filetop.bpf.c, joined here.
#include "tool/command/command.h"
#include "tool/files/file_table.h"

#include "filetop.skel.h"

namespace wick {
namespace {

Result<int> run(Session& session, const FileTableOptions& options, const Trailing& /*unused*/) {
  const DirectoryPatterns directories = TRY(DirectoryPatterns::of(options.directories));
  PathNames names;
  TableTool tool = TRY(file_table(options, names));
  tool.columns.push_back(exact_column<TableRow>("PATH", "path", &TableRow::name));
  tool.prepare = [&](std::vector<TableRow>& rows) -> Status {
    rows = rows_by_directory(rows, directories, names);
    return {};
  };
  return run_table<filetop_bpf>(session, options, tool, [](filetop_bpf&) {});
}

using O = FileTableOptions;
constexpr std::array kOwnOptions{
    value<O, &O::directories>('d', "root-directories", "DIR,...",
                              "these, with all below them; may have * (default: each file's own)"),
};
constexpr auto kOptions = all_of(kTaskFilterOptions<O>, kOwnOptions, kFileTableOptions<O>,
                                 kLiveTableOptions<O>, kTypedHookOptions<O>, kTableOptions<O>);
constexpr std::array kExamples{
    Example{"wick dirtop -d /var,/usr/lib -C 1 1", "a second of what lies below these two"},
    Example{"wick dirtop -s wbytes 1 2", "where most is written, by the files' own directories"},
};

}  // namespace

extern constexpr Command dirtop_command = command<FileTableOptions, run>({
    .name = "dirtop",
    .group = "Files and cache",
    .summary = "the directories most read and written",
    .description =
        "Sums up read and write calls that succeed on regular files, by the directory they lie "
        "below, however deep. A directory that appears after the start counts too. Not seen "
        "is what goes through mmap, sendfile, splice or io_uring, and without fentry calls of "
        "32-bit programs.",
    .options = kOptions,
    .positionals = kTopPositionals<O>,
    .examples = kExamples,
});

}  // namespace wick
