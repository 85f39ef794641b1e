// Profiles read back: what bpftrace, perf, FlameGraph's scripts, pprof and speedscope write, and
// Wick's own JSON. The kind is recognised by the content. Files are streamed; big ones are read on
// every core.
//
//   const Profile profile = TRY(read_profile("trace.data", {}));
//
// The input is not trusted: everything is bounded, and an error names the file and the line or
// byte.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

enum class InputKind : u8 {
  folded,
  pprof,        // gzipped or not
  perf_script,  // the text `perf script` prints
  bpftrace,     // the maps bpftrace prints when it ends
  speedscope,
  wick_json,  // what Wick writes as JSON
};

struct InputName {
  InputKind kind;
  std::string_view name;  // for --from
};
inline constexpr std::array kInputNames{
    InputName{InputKind::folded, "folded"},         InputName{InputKind::pprof, "pprof"},
    InputName{InputKind::perf_script, "perf"},      InputName{InputKind::bpftrace, "bpftrace"},
    InputName{InputKind::speedscope, "speedscope"}, InputName{InputKind::wick_json, "json"},
};

// An unknown name is an error of usage that lists the known ones.
[[nodiscard]] Result<InputKind> input_named(std::string_view name);

// By the first bytes (64 KB are plenty); nothing when they look like none of them.
[[nodiscard]] std::optional<InputKind> recognise(std::string_view head);

struct ReadOptions {
  std::optional<InputKind> kind;  // --from; recognised when not set
  bool moments = false;           // keep the time of each event, where the file tells it
  unsigned threads = 0;           // 0: as many as there are CPUs
  // Larger files of text are read on several cores. That costs a fifth more CPU time, for the
  // pieces have to be merged: below a second of work it is not worth it.
  u64 pieces_above = u64{256} << 20;
  // Called now and then from the calling thread. `total` is 0 when it is not known.
  std::function<void(u64 bytes_done, u64 bytes_total)> progress;
  // Asked now and then; true ends the reading with an error.
  std::function<bool()> stopped;
};

// "-" is standard input.
[[nodiscard]] Result<Profile> read_profile(const std::string& path, const ReadOptions& options);

// The same from memory, for tests and fuzzers. `name` is for errors.
[[nodiscard]] Result<Profile> read_profile_bytes(std::string_view bytes, std::string_view name,
                                                 const ReadOptions& options);

}  // namespace wick
