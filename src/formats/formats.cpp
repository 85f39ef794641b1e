#include "formats/formats.h"

#include <fmt/format.h>

#include "formats/writers.h"

namespace wick {
namespace {

std::string known(std::string_view FormatName::* column) {
  std::string out;
  for (const FormatName& entry : kFormatNames)
    out.append(out.empty() ? "" : ", ").append(entry.*column);
  return out;
}

using FormatWriter = Status (*)(const Profile&, const WriteOptions&, Sink&);
#define WICK_FORMAT_FUNCTION(id, ...) write_##id,
constexpr std::array<FormatWriter, kFormatNames.size()> kWriters{
    WICK_OUTPUT_FORMATS(WICK_FORMAT_FUNCTION)};
#undef WICK_FORMAT_FUNCTION

}  // namespace

Result<Format> format_for_path(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const FormatName* longest = nullptr;
  for (const FormatName& entry : kFormatNames)
    if (file.ends_with(entry.extension) &&
        (longest == nullptr || entry.extension.size() > longest->extension.size()))
      longest = &entry;
  if (longest != nullptr) return longest->format;
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
  return kWriters[static_cast<std::size_t>(format)](profile, options, sink);
}

}  // namespace wick
