// A report in one file: the viewer of web/ with the profile beside it, as gzipped columns in
// base64. No name of the profile stands in the markup, except in the title, escaped.
//
//   u32 bytes of the header | header, as JSON | columns, each padded to 8 bytes
#include <fmt/format.h>

#include "base/clock.h"
#include "formats/base64_sink.h"
#include "formats/escape.h"
#include "formats/gzip_sink.h"
#include "formats/html/html_assets.h"
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

std::string quoted(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

std::string title_of(const Profile& profile, const WriteOptions& options) {
  if (!options.title.empty()) return options.title;
  return profile.info.title.empty() ? "Profile" : profile.info.title + " profile";
}

std::string info_json(const ProfileInfo& info) {
  std::string losses;
  for (const Loss& loss : info.losses)
    losses += fmt::format(R"({}{{"cause":{},"count":{}}})", losses.empty() ? "" : ",",
                          quoted(loss.cause), loss.count);
  return fmt::format(
      R"({{"command":{},"host":{},"kernel":{},"startMs":{},"durationNs":{},"cpus":{},"period":{},)"
      R"("periodUnit":{},"losses":[{}]}})",
      quoted(info.command), quoted(info.host), quoted(info.kernel), info.start_unix_ns / kMilliNs,
      info.duration_ns, info.cpus, info.period, quoted(info.period_type.unit), losses);
}

std::string values_json(const Profile& profile) {
  std::string out;
  for (const ValueType& type : profile.value_types())
    out += fmt::format(R"({}{{"type":{},"unit":{}}})", out.empty() ? "" : ",", quoted(type.type),
                       quoted(type.unit));
  return out;
}

std::size_t padding_of(std::size_t bytes) {
  return (kAlignment - bytes % kAlignment) % kAlignment;
}

// Where each column begins, behind the header.
std::string columns_json(const ReportTree& tree) {
  std::string out;
  std::size_t offset = 0;
  for (const Column& column : tree.columns) {
    out += fmt::format(R"({}"{}":[{},{},{}])", out.empty() ? "" : ",", column.name(),
                       column.width(), offset, column.size());
    offset += column.bytes().size() + padding_of(column.bytes().size());
  }
  return out;
}

std::string header_json(const Profile& profile, const WriteOptions& options,
                        const ReportTree& tree) {
  std::string out = fmt::format(
      R"({{"version":1,"title":{},"info":{},"values":[{}],"value":{},"differential":{},)"
      R"("inverted":{},"perThread":{},"nodes":{},"negativeValues":{},"columns":{{{}}},"strings":[)",
      quoted(title_of(profile, options)), info_json(profile.info), values_json(profile),
      *options.value_index, profile.info.differential, options.inverted, options.per_thread,
      tree.nodes, tree.negative_values, columns_json(tree));
  for (std::size_t i = 0; i < tree.strings.size(); i++) {
    if (i > 0) out.push_back(',');
    append_json(out, profile.text(tree.strings[i]));
  }
  out += R"(],"labels":[)";
  for (std::size_t i = 0; i < tree.labels.size(); i++) {
    if (i > 0) out.push_back(',');
    append_json(out, tree.labels[i]);
  }
  out += "]}";
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
