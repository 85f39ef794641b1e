#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "formats/perf_script/perf_script.h"

namespace wick {
namespace {

class ScriptWriter {
 public:
  ScriptWriter(const Profile& profile, std::size_t value_index, Sink& sink)
      : profile_(profile), value_(value_index), out_(sink), frame_lines_(profile.frames().size()) {
    event_ = printable(profile.value_types()[value_index].type);
    std::ranges::replace(event_, ' ', '_');
  }

  Status run() {
    if (!profile_.moments().empty()) {
      for (const Moment& moment : profile_.moments())
        block(moment.sample, moment.time_ns, moment.value);
    } else {
      for (std::size_t i = 0; i < profile_.samples().size(); i++)
        block(i, 0, profile_.values(i)[value_]);
    }
    return out_.finish();
  }

 private:
  void block(std::size_t index, u64 time_ns, i64 value) {
    if (value == 0) return;
    const Sample& sample = profile_.samples()[index];
    std::string comm = printable(profile_.text(sample.comm));
    if (comm.empty()) comm = "[unknown]";
    out_ << comm << ' ' << sample.pid << '/' << (sample.tid != 0 ? sample.tid : sample.pid)
         << fmt::format(" {}.{:09}: {:>10} {}:\n", time_ns / kNanosPerSecond,
                        time_ns % kNanosPerSecond, value, event_);
    for (const FrameId id : profile_.stack(sample.stack)) out_ << frame_line(id);
    out_ << '\n';
  }

  const std::string& frame_line(FrameId id) {
    std::string& line = frame_lines_[id.index()];
    if (!line.empty()) return line;
    const Frame& frame = profile_.frame(id);
    std::string dso = printable(profile_.text(profile_.mapping(frame.mapping).path));
    if (dso.empty()) dso = frame.kind == FrameKind::kernel ? "[kernel.kallsyms]" : "[unknown]";
    if (frame.kind == FrameKind::inlined) dso = "inlined";
    line = fmt::format("\t{:>16x} {} ({})\n", frame.address, printable(profile_.text(frame.name)),
                       dso);
    if (frame.file.index() != 0)
      line += fmt::format("  {}:{}\n", printable(profile_.text(frame.file)), frame.line);
    return line;
  }

  const Profile& profile_;
  std::size_t value_;
  Writer out_;
  std::string event_;
  std::vector<std::string> frame_lines_;  // by FrameId: many stacks share a frame
};

}  // namespace

Status write_script(const Profile& profile, const WriteOptions& options, Sink& sink) {
  const std::size_t value = options.value_index.value_or(profile.info.default_value);
  return ScriptWriter{profile, value, sink}.run();
}

}  // namespace wick
