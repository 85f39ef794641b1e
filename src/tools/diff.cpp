// wick diff: what changed between two profiles.
#include <fmt/format.h>

#include "formats/report/top_text.h"
#include "profile/diff.h"
#include "tool/command/command.h"
#include "tool/output/profile_input.h"
#include "tool/output/profile_output.h"

namespace wick {
namespace {

struct DiffCommandOptions : InputOptions, OutputOptions, PictureOptions {
  std::string before;
  std::string after;
  bool normalise = false;
};

constexpr std::size_t kRows = 30;

Result<int> run(Session& session, const DiffCommandOptions& options, const Trailing& /*unused*/) {
  ProfileOutput output = TRY(ProfileOutput::prepare(options, options));
  const Profile before = TRY(read_inputs(session, {options.before}, options));
  const Profile after = TRY(read_inputs(session, {options.after}, options));
  const Profile change = TRY(diff_profiles(before, after,
                                           {.normalise = options.normalise,
                                            .before_value = before.info.default_value,
                                            .after_value = after.info.default_value}));
  if (output.was_asked() || options.top)
    TRY(output.write(change, options, false, session));
  else
    TRY(session.out().write(top_table(top_rows(change, {.count = kRows}))));
  session.note(contents_text(change));
  return 0;
}

using O = DiffCommandOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::normalise>('n', "normalise",
                           "scale the first profile to the second's total: for runs of "
                           "different length"),
};
constexpr auto kOptions =
    all_of(kOwnOptions, kOutputOptions<O>, kInputOptions<O>, kPictureOptions<O>);
constexpr std::array kPositionals{
    needed<O, &O::before>("before", "the profile to compare with"),
    needed<O, &O::after>("after", "the profile that is looked at"),
};
constexpr std::array kExamples{
    Example{"wick diff monday.folded tuesday.folded",
            "the functions that changed most, by themselves and in all"},
    Example{"wick diff -n monday.folded tuesday.folded -o change.svg",
            "a flame graph of the change, both runs made equally long"},
    Example{"wick diff monday.folded tuesday.folded -o change.html", "the same, as a report"},
};

}  // namespace

extern constexpr Command diff_command = command<DiffCommandOptions, run>({
    .name = "diff",
    .group = "Profiles",
    .summary = "what changed between two profiles, stack by stack",
    .description =
        "Matches stacks by command and function names and shows how much each grew or shrank, by "
        "itself (self) and with what it calls (total). Stacks that are new or gone stay visible. "
        "Without -o, the functions that changed most as a table.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
});

}  // namespace wick
