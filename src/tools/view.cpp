// wick view: a profile in the browser, served from memory to this machine only.
#include <fmt/format.h>

#include "formats/formats.h"
#include "tool/command/command.h"
#include "tool/output/profile_input.h"
#include "web/browser.h"
#include "web/loopback_server.h"

namespace wick {
namespace {

struct ViewOptions : InputOptions {
  std::string file;
  u16 port = 0;
  bool no_browser = false;
};

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The profile itself is not kept: the page holds all of it.
Result<std::string> report_of(Session& session, const ViewOptions& options) {
  const Profile profile = TRY(read_inputs(session, {options.file}, options, true));
  WriteOptions how;
  if (profile.info.title.empty() && options.file != "-") how.title = base_name(options.file);
  StringSink page;
  TRY(write_profile(profile, Format::html, how, page));
  session.note(contents_text(profile));
  return std::move(page.text);
}

Result<int> run(Session& session, const ViewOptions& options, const Trailing& /*unused*/) {
  std::string page = TRY(report_of(session, options));
  if (session.stop_requests() > 0) return 0;
  LoopbackServer server = TRY(LoopbackServer::open(options.port, std::move(page)));
  TRY(session.out().write(server.url() + "\n"));
  const auto opened = options.no_browser ? std::nullopt : BrowserPage::open(server.url());
  session.note(opened ? "opened in the browser; Ctrl-C ends"
                      : "open this address in a browser of this machine; Ctrl-C ends");
  TRY(server.run(session.stop_fd()));
  return 0;
}

using O = ViewOptions;
constexpr std::array kOwnOptions{
    value<O, &O::port>(0, "port", "PORT", "listen on this port (default: any that is free)"),
    flag<O, &O::no_browser>(0, "no-browser", "only print the address"),
};
constexpr auto kOptions = all_of(kOwnOptions, kInputOptions<O>);
constexpr std::array kPositionals{
    needed<O, &O::file>("file", "the profile to look at; - is standard input"),
};
constexpr std::array kExamples{
    Example{"wick view cpu.pb.gz", "a profile in the browser"},
    Example{"wick view perf.txt --comm nginx --no-browser",
            "one command's stacks, from what `perf script` printed; only print the address"},
};

}  // namespace

extern constexpr Command view_command = command<ViewOptions, run>({
    .name = "view",
    .group = "Profiles",
    .summary = "look at a profile in the browser",
    .description =
        "Reads a profile of any kind that `wick convert` reads and serves the HTML report from "
        "memory, on 127.0.0.1 and under a path nobody can guess, until Ctrl-C. Where there is a "
        "desktop the browser is opened, by a page for you alone that leads there and is removed at "
        "the end; root only gets the address. The report itself is not written to disk: "
        "`wick convert FILE -o report.html` does that.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
});

}  // namespace wick
