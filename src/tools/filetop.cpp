// wick filetop: reads and writes by file, with who makes them. bcc's options and text; counted by
// bpf/filetop.bpf.c.
#include "tool/command/command.h"
#include "tool/files/file_table.h"

#include "filetop.skel.h"

namespace wick {
namespace {

struct FiletopOptions : FileTableOptions {
  bool all_files = false;
  bool read_only = false;
  bool write_only = false;
  bool full_path = false;
};

Result<int> run(Session& session, const FiletopOptions& options, const Trailing& /*unused*/) {
  if (options.read_only && options.write_only)
    return fail_usage("--read-only and --write-only together", "choose one");
  const DirectoryPatterns directories = TRY(DirectoryPatterns::of(options.directories));
  PathNames names;
  TableTool tool = TRY(file_table(options, names));
  tool.columns.insert(
      tool.columns.begin(),
      {number_column<TableRow>("TID", "tid", -7, [](const TableRow& row) { return row.key.first; }),
       text_column<TableRow>("COMM", "comm", -16, &TableRow::comm)});
  for (TableColumn& column : file_columns(names, options.full_path))
    tool.columns.push_back(std::move(column));
  tool.prepare = [&](std::vector<TableRow>& rows) -> Status {
    if (directories.empty()) return {};
    std::erase_if(rows, [&](const TableRow& row) {
      return directories.above(names.of(row.key.second).rooted_path()).empty();
    });
    return {};
  };
  return run_table<filetop_bpf>(session, options, tool, [&](filetop_bpf& bpf) {
    bpf.rodata->by_thread = true;
    bpf.rodata->all_files = options.all_files;
    bpf.rodata->skip_reads = options.write_only;
    bpf.rodata->skip_writes = options.read_only;
  });
}

using O = FiletopOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::read_only>(0, "read-only", "only reads"),
    flag<O, &O::write_only>(0, "write-only", "only writes"),
    flag<O, &O::full_path>('f', "full-path", "files with their directories"),
    value<O, &O::directories>('d', "directory", "DIR,...", "only files below it; may have *"),
};
constexpr auto kOptions =
    all_of(kTaskFilterOptions<O>, kAllFilesOption<O>, kOwnOptions, kFileTableOptions<O>,
           kLiveTableOptions<O>, kTypedHookOptions<O>, kTableOptions<O>);
constexpr std::array kExamples{
    Example{"wick filetop -Cr 5 1 1", "the five files most read and written in a second"},
    Example{"wick filetop -f -d /proc -s reads 1 2", "what is read below /proc, by full path"},
};

}  // namespace

extern constexpr Command filetop_command = command<FiletopOptions, run>({
    .name = "filetop",
    .group = "Files and cache",
    .summary = "the files most read and written, and by whom",
    .description =
        "Sums up read and write calls that succeed, by thread and file. T is R for a "
        "regular file, S for a socket, O for others. Not seen is what goes through mmap, "
        "sendfile, splice or io_uring, and without fentry calls of 32-bit programs.",
    .options = kOptions,
    .positionals = kTopPositionals<O>,
    .examples = kExamples,
});

}  // namespace wick
