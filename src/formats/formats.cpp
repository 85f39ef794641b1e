#include "formats/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/gzip_sink.h"
#include "formats/writers.h"

namespace wick {
namespace {

std::string known(std::string_view FormatName::* column) {
  std::string out;
  for (const FormatName& entry : kFormatNames)
    out.append(out.empty() ? "" : ", ").append(entry.*column);
  return out;
}

Status write_gzipped_pprof(const Profile& profile, Sink& sink) {
  GzipSink gzip{sink};
  TRY(write_pprof(profile, gzip));
  return gzip.finish();
}

}  // namespace

Result<Format> format_for_path(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const FormatName& entry : kFormatNames)
    if (file.ends_with(entry.extension)) return entry.format;
  return fail_usage(fmt::format("{}: the extension names no format", path),
                    "known are " + known(&FormatName::extension));
}

Result<Format> format_named(std::string_view name) {
  for (const FormatName& entry : kFormatNames)
    if (name == entry.name || name == entry.extension.substr(1)) return entry.format;
  return fail_usage(fmt::format("no format is called \"{}\"", name),
                    "known are " + known(&FormatName::name));
}

Status write_profile(const Profile& profile, Format format, const WriteOptions& asked, Sink& sink) {
  WriteOptions options = asked;
  if (!options.value_index) options.value_index = profile.info.default_value;
  if (*options.value_index >= profile.value_types().size())
    return fail(fmt::format("the profile has no value {}", *options.value_index));
  switch (format) {
    case Format::text:
      return write_text(profile, options, sink);
    case Format::folded:
      return write_folded(profile, options, sink);
    case Format::svg:
      return write_svg(profile, options, sink);
    case Format::pprof:
      return write_gzipped_pprof(profile, sink);
    case Format::pprof_raw:
      return write_pprof(profile, sink);
    case Format::html:
      return write_html(profile, options, sink);
    case Format::speedscope:
      return write_speedscope(profile, options, sink);
    case Format::firefox:
      return write_firefox(profile, options, sink);
    case Format::json:
      return write_json(profile, sink);
    case Format::callgrind:
      return write_callgrind(profile, options, sink);
    case Format::dot:
      return write_dot(profile, options, sink);
  }
  return fail("unknown format");
}

}  // namespace wick
