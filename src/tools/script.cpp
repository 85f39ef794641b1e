// wick script: a profile as a block of text per stack.
#include "formats/perf_script/perf_script.h"
#include "tool/command/command.h"
#include "tool/output/profile_input.h"

namespace wick {
namespace {

struct ScriptOptions : InputFiles, InputOptions {};

Result<int> run(Session& session, const ScriptOptions& options, const Trailing& /*unused*/) {
  const Profile profile = TRY(read_inputs(session, options.inputs.list, options, true));
  TRY(write_script(profile, {}, session.out()));
  session.note(contents_text(profile));
  return 0;
}

using O = ScriptOptions;
constexpr auto kOptions = kInputOptions<O>;
constexpr auto kPositionals = kInputFiles<O>;
constexpr std::array kExamples{
    Example{"wick script cpu.pb.gz", "every stack, with addresses and files"},
    Example{"wick script cpu.pb.gz --focus qsort", "the stacks that sort"},
};

}  // namespace

extern constexpr Command script_command = command<ScriptOptions, run>({
    .name = "script",
    .group = "Profiles",
    .summary = "a profile as text, a block per stack, as perf script prints it",
    .description =
        "Prints each stack with its task, value, addresses, files and lines, in the form of `perf "
        "script`, which other tools and `wick convert` read again. Where the input tells when each "
        "event happened, each is a block of its own.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
});

}  // namespace wick
