// Wick's own JSON: one object, streamed. Frames are leaf first, as in the Profile; addresses are
// text, because a JSON number of 64 bits loses its low ones in JavaScript and jq.
//
//   {"info":{…},"value_types":[{"type":"samples","unit":"count"}],
//    "mappings":[{"path":"/bin/sh","build_id":"ab12…",…}],
//    "samples":[{"comm":"sh","pid":7,"tid":0,"values":[3],"stack":[{"name":"read","kind":"kernel"},…]}],
//    "moments":[[0,0,1],…]}
//
// docs/formats.md explains each field.
#include <algorithm>
#include <utility>

#include "formats/json_writer.h"
#include "formats/writers.h"
#include "views/names.h"

namespace wick {
namespace {

void write_type(const ValueType& type, JsonStream& json) {
  json.begin_object().field("type", type.type).field("unit", type.unit).end_object();
}

void write_info(const ProfileInfo& info, JsonStream& json) {
  json.begin_object()
      .field("title", info.title)
      .field("command", info.command)
      .field("host", info.host)
      .field("kernel", info.kernel)
      .field("start_unix_ns", info.start_unix_ns)
      .field("duration_ns", info.duration_ns);
  write_type(info.period_type, json.key("period_type"));
  json.field("period", info.period)
      .field("cpus", info.cpus)
      .field("default_value", info.default_value)
      .field("differential", info.differential);
  if (info.comm_is_a_frame) json.field("comm_is_a_frame", true);
  json.key("losses").begin_array();
  for (const Loss& loss : info.losses)
    json.begin_object().field("cause", loss.cause).field("count", loss.count).end_object();
  json.end_array().end_object();
}

std::string frame_json(const Profile& profile, const Frame& frame) {
  std::string out;
  JsonText json{out};
  json.begin_object().field("name", profile.text(frame.name)).field("kind", kind_name(frame.kind));
  if (!frame.named) json.field("named", false);
  if (frame.address != 0) json.key("address").hex(frame.address);
  if (const auto path = profile.text(profile.mapping(frame.mapping).path); !path.empty())
    json.field("mapping", path);
  if (const auto file = profile.text(frame.file); !file.empty()) json.field("file", file);
  if (frame.line != 0) json.field("line", frame.line);
  json.end_object();
  return out;
}

// Mapping 0 is "none", and not written.
void write_mappings(const Profile& profile, JsonStream& json) {
  for (const Mapping& mapping : profile.mappings().subspan(1)) {
    json.new_line()
        .begin_object()
        .field("path", profile.text(mapping.path))
        .field("build_id", profile.text(mapping.build_id));
    json.key("start").hex(mapping.start);
    json.key("limit").hex(mapping.limit);
    json.key("file_offset").hex(mapping.file_offset).end_object();
  }
}

void write_label(const Profile& profile, const Label& label, JsonStream& json) {
  const auto text = profile.text(label.text);
  const auto unit = profile.text(label.unit);
  if (!text.empty())
    json.value(text);
  else if (unit.empty())
    json.value(label.number);
  else
    json.begin_object().field("number", label.number).field("unit", unit).end_object();
}

// A key may stand more than once: its values are a list then. In an order that does not depend on
// the profile's ids: what is read back is written as the same text.
void write_labels(const Profile& profile, const Sample& sample, JsonStream& json) {
  if (sample.labels.empty()) return;
  std::vector<std::pair<std::string_view, std::size_t>> order;
  for (const Label& label : sample.labels)
    order.emplace_back(profile.text(label.key), order.size());
  std::ranges::sort(order);
  json.key("labels").begin_object();
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && order[end].first == order[i].first) end++;
    json.key(order[i].first);
    const bool list = end - i > 1;
    if (list) json.begin_array();
    for (; i < end; i++) write_label(profile, sample.labels[order[i].second], json);
    if (list) json.end_array();
  }
  json.end_object();
}

// Times count from the first: in 64 bits since the machine's start JavaScript would round them.
void write_moments(const Profile& profile, JsonStream& json) {
  if (profile.moments().empty()) return;
  const u64 start = std::ranges::min(profile.moments(), {}, &Moment::time_ns).time_ns;
  json.new_line().key("moments").begin_array();
  bool first = true;
  for (const Moment& moment : profile.moments()) {
    if (!std::exchange(first, false)) json.new_line();
    json.begin_array().value(moment.time_ns - start).value(moment.sample).value(moment.value);
    json.end_array();
  }
  json.end_array();
}

void write_sample(const Profile& profile, std::size_t index, const std::vector<std::string>& frames,
                  JsonStream& json) {
  const Sample& sample = profile.samples()[index];
  json.begin_object()
      .field("comm", profile.text(sample.comm))
      .field("pid", sample.pid)
      .field("tid", sample.tid);
  json.key("values").begin_array();
  for (const i64 value : profile.values(index)) json.value(value);
  json.end_array();
  write_labels(profile, sample, json);
  json.key("stack").begin_array();
  for (const FrameId frame : profile.stack(sample.stack)) json.raw(frames[frame.index()]);
  json.end_array().end_object();
}

}  // namespace

Status write_json(const Profile& profile, const WriteOptions&, Sink& sink) {
  // A frame stands in many stacks: its text is made once.
  std::vector<std::string> frames;
  frames.reserve(profile.frames().size());
  for (const Frame& frame : profile.frames()) frames.push_back(frame_json(profile, frame));

  Writer out{sink};
  JsonStream json{out};
  write_info(profile.info, json.begin_object().key("info"));
  json.new_line().key("value_types").begin_array();
  for (const ValueType& type : profile.value_types()) write_type(type, json);
  json.end_array().new_line().key("mappings").begin_array();
  write_mappings(profile, json);
  json.end_array().new_line().key("samples").begin_array();
  for (std::size_t i = 0; i < profile.samples().size() && !out.failed(); i++)
    write_sample(profile, i, frames, json.new_line());
  json.new_line().end_array();
  write_moments(profile, json);
  json.end_object();
  out << '\n';
  return out.finish();
}

}  // namespace wick
