// wick report: a profile as tables and trees in the terminal.
#include <fmt/format.h>

#include "base/text.h"
#include "formats/report/top_text.h"
#include "formats/report/tree_text.h"
#include "profile/filter.h"
#include "tool/command/command.h"
#include "tool/output/profile_input.h"

namespace wick {
namespace {

struct ReportOptions : InputFiles, InputOptions {
  bool tree = false;
  std::optional<std::string> callers;
  std::optional<std::string> callees;
  std::optional<std::string> by;
  u64 limit = 30;
  bool total = false;
  double min_percent = 0.5;
  bool json = false;
};

Status check(const ReportOptions& options) {
  const int shapes = int{options.tree} + int{options.callers.has_value()} +
                     int{options.callees.has_value()} + int{options.by.has_value()};
  if (shapes > 1) return fail_usage("--tree, --callers, --callees and --by exclude each other");
  if (options.min_percent < 0 || options.min_percent > 100)
    return fail_usage("--min-percent: a share is between 0 and 100");
  return {};
}

Status print_tree(Session& session, const Profile& profile, const ReportOptions& options) {
  CallTreeOptions tree_options;
  std::optional<FunctionMatch> match;
  if (!options.tree) {
    const std::string& name = options.callers ? *options.callers : *options.callees;
    match = TRY(FunctionMatch::find(profile, name));
    if (match->functions() > 1)
      session.note(fmt::format("no function is called '{}'; {} match it", printable(name),
                               counted(match->functions(), "function")));
    tree_options.shape = options.callers ? TreeShape::callers : TreeShape::callees;
    tree_options.function = &*match;
  }
  const CallTree tree = call_tree(profile, tree_options);
  return session.out().write(options.json ? tree_json(tree)
                                          : tree_text(tree, {.min_percent = options.min_percent}));
}

Status print_top(Session& session, const Profile& profile, const ReportOptions& options,
                 GroupBy by) {
  const Top top = top_rows(profile, {.count = options.limit, .by = by, .by_total = options.total});
  TRY(session.out().write(options.json ? top_json(top) : top_table(top)));
  if (top.others > 0 && !options.json)
    TRY(session.out().write(
        fmt::format("{} more; --limit N shows more\n", counted(top.others, "row"))));
  return {};
}

Result<int> run(Session& session, const ReportOptions& options, const Trailing& /*unused*/) {
  TRY(check(options));
  const GroupBy by = options.by ? TRY_CTX(group_named(*options.by), "--by") : GroupBy::function;
  const Profile profile = TRY(read_inputs(session, options.inputs.list, options));
  if (options.tree || options.callers || options.callees)
    TRY(print_tree(session, profile, options));
  else
    TRY(print_top(session, profile, options, by));
  session.note(contents_text(profile));
  return 0;
}

using O = ReportOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::tree>(0, "tree", "the call tree, from the commands down"),
    value<O, &O::callers>(0, "callers", "F", "who calls F: a function's name, or a pattern"),
    value<O, &O::callees>(0, "callees", "F", "what F calls"),
    value<O, &O::by>(0, "by", "WHAT",
                     "what a row of the table is: function, line, dso, comm, pid, tid"),
    value<O, &O::limit>(0, "limit", "N", "rows of the table (default 30)"),
    flag<O, &O::total>(0, "total", "order by total instead of self"),
    value<O, &O::min_percent>(0, "min-percent", "N",
                              "leave out branches of the tree below this share (default 0.5)"),
    flag<O, &O::json>(0, "json", "one JSON object a row"),
};
constexpr auto kOptions = all_of(kOwnOptions, kInputOptions<O>);
constexpr auto kPositionals = kInputFiles<O>;
constexpr std::array kExamples{
    Example{"wick report cpu.pb.gz", "the functions that cost most, by themselves and in all"},
    Example{"wick report cpu.pb.gz --tree", "the call tree"},
    Example{"wick report cpu.pb.gz --callers qsort", "who calls qsort"},
    Example{"wick report trace.data --by comm", "what each command cost"},
};

}  // namespace

extern constexpr Command report_command = command<ReportOptions, run>({
    .name = "report",
    .group = "Profiles",
    .summary = "a profile's functions, callers and callees as tables and trees",
    .description = "Without an option a table of functions: self is what a function cost itself, "
                   "total what it "
                   "cost with everything it called. A tree goes on in the same column while a "
                   "function has one "
                   "child only. A differential profile shows both sides.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
});

}  // namespace wick
