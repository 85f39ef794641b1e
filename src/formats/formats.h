// Formats: a Profile as bytes, and back. Pure functions: no printing, no files of their own.
//
//   const Format format = TRY(format_for_path("cpu.svg"));
//   AtomicFile file = TRY(AtomicFile::create("cpu.svg"));
//   FileSink sink{file};
//   TRY(write_profile(profile, format, {.delimited = true}, sink));
//   TRY(file.commit());
//
// Any thread; a Profile may be written from several at once, as nothing changes it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/flame_options.h"
#include "formats/format_table.h"
#include "formats/sink.h"
#include "profile/profile.h"

namespace wick {

#define WICK_FORMAT_ID(id, ...) id,
enum class Format : u8 { WICK_OUTPUT_FORMATS(WICK_FORMAT_ID) };
#undef WICK_FORMAT_ID

enum class ShowsTimes : u8 { never, in_charts, always };
enum class FormatHelp : bool { unlisted, listed };

struct FormatName {
  Format format;
  std::string_view name;       // for --format
  std::string_view extension;  // for -o
  ShowsTimes times;            // when each event happened
  bool in_help;
};
#define WICK_FORMAT_NAME(id, name, extension, times, help)   \
  FormatName{Format::id, name, extension, ShowsTimes::times, \
             FormatHelp::help == FormatHelp::listed},
inline constexpr std::array kFormatNames{WICK_OUTPUT_FORMATS(WICK_FORMAT_NAME)};
#undef WICK_FORMAT_NAME

[[nodiscard]] constexpr const FormatName& format_name(Format format) {
  return kFormatNames[static_cast<std::size_t>(format)];
}

// An unknown extension or name is an error of usage that lists the known ones.
[[nodiscard]] Result<Format> format_for_path(std::string_view path);
[[nodiscard]] Result<Format> format_named(std::string_view name);

// How text and folded lines look where they are not those of bcc's profile.
enum class TextLayout : u8 {
  profile,  // frames, then "-  comm (pid)"
  wakeup,   // "target:", frames, "waker:", as bcc's wakeuptime: the leaf is who was woken
  offwake,  // "waker:", its frames, "--", frames, "target:", as its offwaketime
};

struct TextStyle {
  TextLayout layout = TextLayout::profile;
  i64 divisor = 1;  // of every value: bcc tells times in microseconds
};

struct WriteOptions {
  bool delimited = false;        // a separator between kernel and user frames (-d)
  bool annotate_kernel = false;  // _[k] behind kernel frames (-a)
  bool addresses = false;        // text: the address in front of each name (-A)
  bool lines = false;            // text, folded: " (file.c:12)" behind each name (--lines)
  bool per_thread = false;       // threads apart, as comm-pid/tid
  TextStyle text;
  bool inverted = false;  // flame graphs: the root on top
  // Which of the profile's values is shown, by formats that show one; its default_value unless set.
  // A writer may count on it being set.
  std::optional<std::size_t> value_index;
  std::string title;   // pictures: instead of the profile's own
  FlameOptions flame;  // svg
};

[[nodiscard]] Status write_profile(const Profile& profile, Format format,
                                   const WriteOptions& options, Sink& sink);

}  // namespace wick
