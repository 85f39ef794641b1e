// One function a format, for write_profile alone.
#pragma once

#include "formats/formats.h"

namespace wick {

[[nodiscard]] Status write_text(const Profile& profile, const WriteOptions& options, Sink& sink);
[[nodiscard]] Status write_folded(const Profile& profile, const WriteOptions& options, Sink& sink);
[[nodiscard]] Status write_svg(const Profile& profile, const WriteOptions& options, Sink& sink);
[[nodiscard]] Status write_pprof(const Profile& profile, Sink& sink);
[[nodiscard]] Status write_html(const Profile& profile, const WriteOptions& options, Sink& sink);
[[nodiscard]] Status write_speedscope(const Profile& profile, const WriteOptions& options,
                                      Sink& sink);
[[nodiscard]] Status write_firefox(const Profile& profile, const WriteOptions& options, Sink& sink);
[[nodiscard]] Status write_callgrind(const Profile& profile, const WriteOptions& options,
                                     Sink& sink);
[[nodiscard]] Status write_dot(const Profile& profile, const WriteOptions& options, Sink& sink);
[[nodiscard]] Status write_json(const Profile& profile, Sink& sink);

}  // namespace wick
