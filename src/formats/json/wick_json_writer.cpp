// Wick's own JSON: one object, streamed. Frames are leaf first, as in the Profile; addresses are
// text, because a JSON number of 64 bits loses its low ones in JavaScript and jq.
//
//   {"info":{…},"value_types":[{"type":"samples","unit":"count"}],
//    "mappings":[{"path":"/bin/sh","build_id":"ab12…",…}],
//    "samples":[{"comm":"sh","pid":7,"tid":0,"values":[3],"stack":[{"name":"read","kind":"kernel"},…]}],
//    "moments":[[0,0,1],…]}
//
// docs/formats.md explains each field.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/escape.h"
#include "formats/json_text.h"
#include "formats/writers.h"
#include "views/names.h"

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
      << R"(,"cpus":)" << info.cpus << R"(,"default_value":)" << info.default_value
      << R"(,"differential":)" << (info.differential ? "true" : "false")
      << (info.comm_is_a_frame ? R"(,"comm_is_a_frame":true)" : "") << R"(,"losses":[)";
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

// Mapping 0 is "none", and not written.
void write_mappings(const Profile& profile, Writer& out) {
  std::string_view comma;
  for (const Mapping& mapping : profile.mappings().subspan(1)) {
    out << std::exchange(comma, ",") << "\n"
        << R"({"path":)" << json_quoted(profile.text(mapping.path)) << R"(,"build_id":)"
        << json_quoted(profile.text(mapping.build_id))
        << fmt::format(R"(,"start":"0x{:x}","limit":"0x{:x}","file_offset":"0x{:x}"}})",
                       mapping.start, mapping.limit, mapping.file_offset);
  }
}

std::string label_json(const Profile& profile, const Label& label) {
  if (const auto text = profile.text(label.text); !text.empty()) return json_quoted(text);
  const auto unit = profile.text(label.unit);
  if (unit.empty()) return std::to_string(label.number);
  return fmt::format(R"({{"number":{},"unit":{}}})", label.number, json_quoted(unit));
}

// A key may stand more than once: its values are a list then. In an order that does not depend on
// the profile's ids: what is read back is written as the same text.
void write_labels(const Profile& profile, const Sample& sample, Writer& out) {
  if (sample.labels.empty()) return;
  std::vector<std::pair<std::string_view, std::size_t>> order;
  for (const Label& label : sample.labels)
    order.emplace_back(profile.text(label.key), order.size());
  std::ranges::sort(order);
  out << R"(,"labels":{)";
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && order[end].first == order[i].first) end++;
    out << (i == 0 ? "" : ",") << json_quoted(order[i].first) << ':';
    if (end - i > 1) out << '[';
    for (std::size_t at = i; at < end; at++)
      out << (at == i ? "" : ",") << label_json(profile, sample.labels[order[at].second]);
    if (end - i > 1) out << ']';
    i = end;
  }
  out << '}';
}

// Times count from the first: in 64 bits since the machine's start JavaScript would round them.
void write_moments(const Profile& profile, Writer& out) {
  if (profile.moments().empty()) return;
  const u64 start = std::ranges::min(profile.moments(), {}, &Moment::time_ns).time_ns;
  out << ",\n" << R"("moments":[)";
  std::string_view comma;
  for (const Moment& moment : profile.moments())
    out << std::exchange(comma, ",\n") << '[' << moment.time_ns - start << ',' << moment.sample
        << ',' << moment.value << ']';
  out << ']';
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

Status write_json(const Profile& profile, const WriteOptions&, Sink& sink) {
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
  out << "],\n" << R"("mappings":[)";
  write_mappings(profile, out);
  out << "],\n" << R"("samples":[)";
  for (std::size_t i = 0; i < profile.samples().size() && !out.failed(); i++) {
    out << (i == 0 ? "\n" : ",\n");
    write_sample(profile, i, frames, out);
  }
  out << "\n]";
  write_moments(profile, out);
  out << "}\n";
  return out.finish();
}

}  // namespace wick
