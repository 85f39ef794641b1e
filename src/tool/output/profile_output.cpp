#include "tool/output/profile_output.h"

#include <algorithm>

#include "formats/report/top_text.h"

namespace wick {
namespace {

// A person who asks to stop while a big file is written does not want to wait for its end.
class StoppableSink final : public Sink {
 public:
  StoppableSink(Sink& sink, const Session& session)
      : sink_(sink), session_(session), before_(session.stop_requests()) {}
  Status write(std::string_view data) override {
    if (session_.stop_requests() > before_) return fail("stopped; nothing was written");
    return sink_.write(data);
  }

 private:
  Sink& sink_;
  const Session& session_;
  int before_;
};

}  // namespace

Result<ProfileOutput> ProfileOutput::prepare(const OutputOptions& options,
                                             const PictureOptions& picture, Format standard) {
  ProfileOutput out;
  if (options.folded && options.json) return fail_usage("-f and --json together", "choose one");
  std::optional<Format> asked;
  if (options.folded) asked = Format::folded;
  if (options.json) asked = Format::json;
  if (options.format) asked = TRY(format_named(*options.format));
  out.format_ = asked.value_or(standard);
  out.picture_ = TRY(Picture::prepare(picture));
  out.asked_ = asked.has_value();
  for (const std::string& path : options.output.list) {
    const Format format = asked ? *asked : TRY(format_for_path(path));
    out.files_.push_back({format, TRY(AtomicFile::create(path))});
  }
  out.silent_ = options.top && !asked;
  return out;
}

bool ProfileOutput::shows_times() const {
  const auto shows = [this](Format format) {
    const ShowsTimes times = format_name(format).times;
    return times == ShowsTimes::always ||
           (times == ShowsTimes::in_charts && picture_.shows_times());
  };
  return shows(format_) || std::ranges::any_of(files_, shows, &File::format);
}

Status ProfileOutput::write(const Profile& profile, const OutputOptions& options, bool per_thread,
                            Session& session, bool lines) {
  WriteOptions write_options{.delimited = options.delimited,
                             .annotate_kernel = options.annotations,
                             .addresses = options.addresses,
                             .lines = lines,
                             .per_thread = per_thread,
                             .text = text_,
                             .title = {}};
  picture_.apply(write_options);
  for (File& out : files_) {
    FileSink file{out.file};
    StoppableSink sink{file, session};
    TRY(write_profile(profile, out.format, write_options, sink));
  }
  TRY(picture_.keep_palette());
  // All or none: only when every one is whole does any of them appear.
  for (File& out : files_) TRY(out.file.commit());
  if (files_.empty() && !silent_)
    TRY(write_profile(profile, format_, write_options, session.out()));
  if (options.top) TRY(session.out().write(top_table(top_rows(profile, {.count = *options.top}))));
  return {};
}

}  // namespace wick
