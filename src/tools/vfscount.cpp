// wick vfscount: how often each function of the virtual file system is called. bcc's text; counted
// by bpf/vfscount.bpf.c.
#include <fmt/format.h>

#include "symbols/kernel_functions.h"
#include "tool/command/command.h"
#include "tool/table/table_run.h"

#include "vfscount.skel.h"

namespace wick {
namespace {

struct VfscountOptions : TableOptions {
  VfscountOptions() { top = ~u64{0}; }
};

Result<int> run(Session& session, const VfscountOptions& options, const Trailing& /*unused*/) {
  TRY(need_function_hooks());
  const std::vector<KernelFunction> functions =
      TRY(find_kernel_functions([](std::string_view name) { return name.starts_with("vfs_"); }));
  const std::vector<u64> addresses = TRY(addresses_of(functions));
  const auto function_of_row = [&](const TableRow& row) -> const KernelFunction& {
    return functions[std::min<std::size_t>(row.key.first, functions.size() - 1)];
  };
  const TableTool tool{
      .heading = "Tracing... Ctrl-C to end.\n\n",
      .layout = TableLayout::report,
      .by_number = functions.size() < WICK_TABLE_NUMBERS,
      .sort = "count",
      .ascending = true,
      .counted = "call",
      .columns = {
          text_column<TableRow>("ADDR", "addr", -16,
                                [&](const TableRow& row) {
                                  return fmt::format("{:x}", function_of_row(row).address);
                                }),
          text_column<TableRow>("FUNC", "func", -26,
                                [&](const TableRow& row) { return function_of_row(row).name; }),
          amount_column("COUNT", "count", 8, 0)}};
  return run_table<vfscount_bpf>(session, options, tool, [&](vfscount_bpf&, BpfObject& object) {
    object.set_functions(addresses);
  });
}

using O = VfscountOptions;
constexpr auto kOptions = all_of(kTaskFilterOptions<O>, kTableOptions<O>, kManyHookOptions<O>);
constexpr std::array kPositionals{
    positional<O, &O::duration>("time", "seconds (default: until Ctrl-C)"),
};
constexpr std::array kExamples{
    Example{"wick vfscount 1", "a second of everybody's calls"},
    Example{"wick vfscount --comm bash --json 1", "those of all shells, as JSON"},
};

}  // namespace

extern constexpr Command vfscount_command = command<VfscountOptions, run>({
    .name = "vfscount",
    .group = "Files and cache",
    .summary = "how often each function of the virtual file system is called",
    .description = "Counts the calls of every kernel function whose name begins with vfs_. Needs a "
                   "kernel that lets programs hook its functions.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
});

}  // namespace wick
