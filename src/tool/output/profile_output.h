// Where a profile goes: -o FILE by its extension, -f, --json, or bcc's text on the terminal. Shared
// by every stack tool; a tool derives its options from OutputOptions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/result.h"
#include "formats/format_help.h"
#include "formats/formats.h"
#include "profile/profile.h"
#include "tool/command/option.h"
#include "tool/command/session.h"
#include "tool/output/picture_options.h"

namespace wick {

struct OutputOptions {
  Texts output;  // one run, several pictures of it
  std::optional<std::string> format;
  bool folded = false;
  bool json = false;
  bool delimited = false;
  bool annotations = false;
  bool addresses = false;
  std::optional<u64> top;
};

class ProfileOutput {
 public:
  // Finds every mistake, and opens the file, before anything is sampled or read. `standard` is what
  // goes to standard output without a word.
  [[nodiscard]] static Result<ProfileOutput> prepare(const OutputOptions& options,
                                                     const PictureOptions& picture,
                                                     Format standard = Format::text);

  // bcc's text on standard output, and with it bcc's heading.
  [[nodiscard]] bool prints_text() const {
    return files_.empty() && !silent_ && format_ == Format::text;
  }
  // Whether something is written that can show when each event happened.
  [[nodiscard]] bool shows_times() const;
  // A format asked for, or a file: more than the command would show by itself.
  [[nodiscard]] bool was_asked() const { return asked_ || !files_.empty(); }
  // How bcc's text and folded lines look, where not as those of profile.
  void set_text(const TextStyle& style) { text_ = style; }
  // `lines`: text tells the source line of each frame.
  [[nodiscard]] Status write(const Profile& profile, const OutputOptions& options, bool per_thread,
                             Session& session, bool lines = false);

 private:
  struct File {
    Format format;
    AtomicFile file;
  };
  Format format_ = Format::text;  // on standard output
  std::vector<File> files_;
  Picture picture_;
  TextStyle text_;
  bool asked_ = false;
  bool silent_ = false;  // --top alone: the table is all that is wanted
};

template <class O>
inline constexpr std::array kOutputOptions{
    value<O, &O::output>('o', "output", "FILE", kOutputHelp),
    value<O, &O::format>(0, "format", "NAME", kFormatHelp),
    flag<O, &O::folded>('f', "folded", "one line a stack, for flame graphs"),
    flag<O, &O::json>(0, "json", "one JSON object"),
    flag<O, &O::delimited>('d', "delimited", "put a separator between kernel and user frames"),
    flag<O, &O::annotations>('a', "annotations", "put _[k] behind kernel frames"),
    flag<O, &O::addresses>('A', "addresses", "put the address in front of each name"),
    value<O, &O::top>(0, "top", "N",
                      "print the N functions with most samples; without -o only those"),
};

}  // namespace wick
