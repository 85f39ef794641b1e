#include "tool/profile_output.h"

#include "formats/top.h"

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

Result<ProfileOutput> ProfileOutput::prepare(const OutputOptions& options) {
  ProfileOutput out;
  if (options.folded && options.json) return fail_usage("-f and --json together", "choose one");
  if (options.folded) out.format_ = Format::folded;
  if (options.json) out.format_ = Format::json;
  if (options.output && !options.format && !options.folded && !options.json)
    out.format_ = TRY(format_for_path(*options.output));
  if (options.format) out.format_ = TRY(format_named(*options.format));
  if (options.output) out.file_.emplace(TRY(AtomicFile::create(*options.output)));
  out.silent_ =
      options.top && !options.output && !options.format && !options.folded && !options.json;
  return out;
}

Status ProfileOutput::write(const Profile& profile, const OutputOptions& options, bool per_thread,
                            Session& session) {
  const WriteOptions write_options{.delimited = options.delimited,
                                   .annotate_kernel = options.annotations,
                                   .addresses = options.addresses,
                                   .per_thread = per_thread,
                                   .title = {}};
  if (file_) {
    FileSink file{*file_};
    StoppableSink sink{file, session};
    TRY(write_profile(profile, format_, write_options, sink));
    TRY(file_->commit());
  } else if (!silent_) {
    TRY(write_profile(profile, format_, write_options, session.out()));
  }
  if (options.top) TRY(session.out().write(top_table(top_functions(profile, *options.top))));
  return {};
}

}  // namespace wick
