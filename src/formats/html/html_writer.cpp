// A report in one file: the viewer of web/ with the profile beside it, as gzipped columns in
// base64. No name of the profile stands in the markup, except in the title, escaped.
//
//   u32 bytes of the header | header, as JSON | columns, each padded to 8 bytes
#include "base/clock.h"
#include "formats/base64_sink.h"
#include "formats/escape.h"
#include "formats/gzip_sink.h"
#include "formats/html/html_assets.h"
#include "formats/json_writer.h"
#include "formats/writers.h"
#include "views/report_tree.h"

namespace wick {
namespace {

constexpr std::size_t kAlignment = 8;
constexpr u64 kMilliNs = 1'000'000;

// Nothing may be loaded from anywhere, nor sent.
constexpr std::string_view kHead =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"referrer\" content=\"no-referrer\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<title>";

std::string title_of(const Profile& profile, const WriteOptions& options) {
  if (!options.title.empty()) return options.title;
  return profile.info.title.empty() ? "Profile" : profile.info.title + " profile";
}

void write_report_info(const ProfileInfo& info, JsonText& json) {
  json.begin_object()
      .field("command", info.command)
      .field("host", info.host)
      .field("kernel", info.kernel)
      .field("startMs", info.start_unix_ns / kMilliNs)
      .field("durationNs", info.duration_ns)
      .field("cpus", info.cpus)
      .field("period", info.period)
      .field("periodUnit", info.period_type.unit);
  json.key("losses").begin_array();
  for (const Loss& loss : info.losses)
    json.begin_object().field("cause", loss.cause).field("count", loss.count).end_object();
  json.end_array().end_object();
}

std::size_t padding_of(std::size_t bytes) {
  return (kAlignment - bytes % kAlignment) % kAlignment;
}

// Where each column begins, behind the header.
void write_column_places(const ReportTree& tree, JsonText& json) {
  std::size_t offset = 0;
  json.begin_object();
  for (const Column& column : tree.columns) {
    json.key(column.name()).begin_array();
    json.value(column.width()).value(offset).value(column.size()).end_array();
    offset += column.bytes().size() + padding_of(column.bytes().size());
  }
  json.end_object();
}

std::string header_json(const Profile& profile, const WriteOptions& options,
                        const ReportTree& tree) {
  std::string out;
  JsonText json{out};
  json.begin_object().field("version", 1).field("title", title_of(profile, options));
  write_report_info(profile.info, json.key("info"));
  json.key("values").begin_array();
  for (const ValueType& type : profile.value_types())
    json.begin_object().field("type", type.type).field("unit", type.unit).end_object();
  json.end_array()
      .field("value", *options.value_index)
      .field("differential", profile.info.differential)
      .field("inverted", options.inverted)
      .field("perThread", options.per_thread)
      .field("nodes", tree.nodes)
      .field("negativeValues", tree.negative_values);
  write_column_places(tree, json.key("columns"));
  json.key("strings").begin_array();
  for (const StringId text : tree.strings) json.value(profile.text(text));
  json.end_array().key("labels").begin_array();
  for (const std::string& label : tree.labels) json.value(label);
  json.end_array().end_object();
  out.append(padding_of(out.size() + sizeof(u32)), ' ');
  return out;
}

Status write_data(const std::string& header, const ReportTree& tree, Sink& sink) {
  Base64Sink text{sink};
  GzipSink packed{text};
  Writer out{packed};
  for (unsigned shift = 0; shift < 32; shift += 8) out << static_cast<char>(header.size() >> shift);
  out << header;
  for (const Column& column : tree.columns)
    out << column.bytes() << std::string(padding_of(column.bytes().size()), '\0');
  TRY(out.finish());
  TRY(packed.finish());
  return text.finish();
}

}  // namespace

Status write_html(const Profile& profile, const WriteOptions& options, Sink& sink) {
  const ReportTree tree = build_report_tree(profile);
  const std::string header = header_json(profile, options, tree);
  if (header.size() > ~u32{0}) return fail("html: the names are too long for one file");

  std::string title;
  append_xml(title, title_of(profile, options));
  Writer out{sink};
  out << kHead << title << "</title>\n<style>" << viewer_style() << "</style></head>\n"
      << "<body><div id=\"app\"><p class=\"empty\">Opening the report…</p></div>"
         "<noscript>This report needs JavaScript.</noscript>\n"
      << "<script type=\"application/octet-stream\" id=\"profile\">";
  TRY(out.finish());
  TRY(write_data(header, tree, sink));
  out << "</script>\n<script>" << viewer_script() << "</script></body></html>\n";
  return out.finish();
}

}  // namespace wick
