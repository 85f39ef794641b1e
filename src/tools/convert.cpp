// wick convert: profiles of any kind in, a profile or a picture out.
#include "tool/command/command.h"
#include "tool/output/profile_input.h"
#include "tool/output/profile_output.h"

namespace wick {
namespace {

struct ConvertOptions : InputFiles, InputOptions, OutputOptions, PictureOptions {};

Result<int> run(Session& session, const ConvertOptions& options, const Trailing& /*unused*/) {
  ProfileOutput output = TRY(ProfileOutput::prepare(options, options, Format::folded));
  const Profile profile =
      TRY(read_inputs(session, options.inputs.list, options, output.shows_times()));
  TRY(output.write(profile, options, false, session));
  session.note(contents_text(profile));
  return 0;
}

using O = ConvertOptions;
constexpr auto kOptions = all_of(kOutputOptions<O>, kInputOptions<O>, kPictureOptions<O>);
constexpr auto kPositionals = kInputFiles<O>;
constexpr std::array kExamples{
    Example{"wick convert trace.data -o flame.svg", "bpftrace's stacks as a flame graph"},
    Example{"wick convert perf.txt -o report.html", "what `perf script` printed, as a report"},
    Example{"wick convert monday.folded tuesday.folded -o both.pb.gz",
            "two profiles as one, for go tool pprof"},
    Example{"wick convert cpu.pb.gz --focus qsort --reverse -o callers.svg",
            "who calls what sorts, from the leaves"},
};

}  // namespace

extern constexpr Command convert_command = command<ConvertOptions, run>({
    .name = "convert",
    .group = "Profiles",
    .summary = "read profiles of any kind, write another kind or a picture",
    .description =
        "Reads folded stacks, pprof, `perf script` text, bpftrace's maps, speedscope files "
        "and Wick's own JSON, "
        "recognised by their content, merges several into one, keeps what the filters ask for, "
        "and writes what -o's extension says; without -o folded stacks on standard output.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
});

}  // namespace wick
