// Wick's own JSON: one object, streamed. Frames are leaf first, as in the Profile; addresses are
// text, because a JSON number of 64 bits loses its low ones in JavaScript and jq.
//
//   {"info":{…},"value_types":[{"type":"samples","unit":"count"}],
//    "samples":[{"comm":"sh","pid":7,"tid":0,"values":[3],"stack":[{"name":"read","kind":"kernel"},…]}]}
#include <fmt/format.h>

#include "formats/json_text.h"
#include "formats/names.h"
#include "formats/writers.h"

namespace wick {
namespace {

std::string value_type_json(const ValueType& type) {
  return fmt::format(R"({{"type":{},"unit":{}}})", json_quoted(type.type), json_quoted(type.unit));
}

void write_info(const ProfileInfo& info, Writer& out) {
  out << R"({"title":)" << json_quoted(info.title) << R"(,"command":)" << json_quoted(info.command)
      << R"(,"host":)" << json_quoted(info.host) << R"(,"kernel":)" << json_quoted(info.kernel)
      << R"(,"start_unix_ns":)" << info.start_unix_ns << R"(,"duration_ns":)" << info.duration_ns
      << R"(,"period_type":)" << value_type_json(info.period_type) << R"(,"period":)" << info.period
      << R"(,"cpus":)" << info.cpus << R"(,"losses":[)";
  std::string_view comma;
  for (const Loss& loss : info.losses) {
    out << comma << R"({"cause":)" << json_quoted(loss.cause) << R"(,"count":)" << loss.count
        << '}';
    comma = ",";
  }
  out << "]}";
}

std::string frame_json(const Profile& profile, const Frame& frame) {
  std::string out = R"({"name":)";
  append_json(out, profile.text(frame.name));
  out.append(R"(,"kind":")").append(kind_name(frame.kind)).push_back('"');
  if (!frame.named) out.append(R"(,"named":false)");
  if (frame.address != 0) out.append(fmt::format(R"(,"address":"0x{:x}")", frame.address));
  if (const auto path = profile.text(profile.mapping(frame.mapping).path); !path.empty()) {
    out.append(R"(,"mapping":)");
    append_json(out, path);
  }
  if (const auto file = profile.text(frame.file); !file.empty()) {
    out.append(R"(,"file":)");
    append_json(out, file);
  }
  if (frame.line != 0) out.append(fmt::format(R"(,"line":{})", frame.line));
  out.push_back('}');
  return out;
}

void write_labels(const Profile& profile, const Sample& sample, Writer& out) {
  if (sample.labels.empty()) return;
  out << R"(,"labels":{)";
  std::string_view comma;
  for (const Label& label : sample.labels) {
    out << comma << json_quoted(profile.text(label.key)) << ':';
    if (const auto text = profile.text(label.text); !text.empty())
      out << json_quoted(text);
    else
      out << label.number;
    comma = ",";
  }
  out << '}';
}

void write_sample(const Profile& profile, std::size_t index, const std::vector<std::string>& frames,
                  Writer& out) {
  const Sample& sample = profile.samples()[index];
  out << R"({"comm":)" << json_quoted(profile.text(sample.comm)) << R"(,"pid":)" << sample.pid
      << R"(,"tid":)" << sample.tid << R"(,"values":[)";
  std::string_view comma;
  for (const i64 value : profile.values(index)) {
    out << comma << value;
    comma = ",";
  }
  out << ']';
  write_labels(profile, sample, out);
  out << R"(,"stack":[)";
  comma = "";
  for (const FrameId frame : profile.stack(sample.stack)) {
    out << comma << frames[frame.index()];
    comma = ",";
  }
  out << "]}";
}

}  // namespace

Status write_json(const Profile& profile, Sink& sink) {
  // A frame stands in many stacks: its text is made once.
  std::vector<std::string> frames;
  frames.reserve(profile.frames().size());
  for (const Frame& frame : profile.frames()) frames.push_back(frame_json(profile, frame));

  Writer out{sink};
  out << R"({"info":)";
  write_info(profile.info, out);
  out << ",\n" << R"("value_types":[)";
  std::string_view comma;
  for (const ValueType& type : profile.value_types()) {
    out << comma << value_type_json(type);
    comma = ",";
  }
  out << "],\n" << R"("samples":[)";
  for (std::size_t i = 0; i < profile.samples().size() && !out.failed(); i++) {
    out << (i == 0 ? "\n" : ",\n");
    write_sample(profile, i, frames, out);
  }
  out << "\n]}\n";
  return out.finish();
}

}  // namespace wick
