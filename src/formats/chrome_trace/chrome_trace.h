// ChromeTrace: events over time in the Chrome trace event format (JSON), which Perfetto
// (ui.perfetto.dev) and chrome://tracing open: a track a thread, slices, arrows between them.
// Streams: what was written is not kept. One thread at a time.
//
//   ChromeTrace trace{sink, start_ns};
//   trace.name_thread({.pid = 12, .tid = 13}, "worker");
//   trace.slice({.pid = 12, .tid = 13}, "Running", begin_ns, end_ns, {{"cpu", "1"}});
//   TRY(trace.finish());
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "base/ids.h"
#include "formats/sink.h"

namespace wick {

struct TraceTrack {
  u32 pid = 0;
  u32 tid = 0;
};
struct TraceArgument {
  std::string_view name;
  std::string_view text;  // empty: left out
};
using TraceArguments = std::initializer_list<TraceArgument>;

class ChromeTrace {
 public:
  // Times are told from `zero_ns` on.
  ChromeTrace(Sink& sink, u64 zero_ns);

  void name_process(u32 pid, std::string_view name);
  void name_thread(TraceTrack track, std::string_view name);
  void slice(TraceTrack track, std::string_view name, u64 begin_ns, u64 end_ns,
             TraceArguments arguments = {});
  // An arrow from the slice of one track at one time to that of another.
  void arrow(TraceTrack from, u64 from_ns, TraceTrack to, u64 to_ns);
  // A mark across all tracks.
  void mark(std::string_view name, u64 time_ns);
  [[nodiscard]] Status finish();

 private:
  void begin(char phase, TraceTrack track, std::string_view name);
  void time(std::string_view field, u64 time_ns);
  void metadata(std::string_view what, TraceTrack track, std::string_view name);

  Writer out_;
  u64 zero_ns_;
  u64 arrows_ = 0;
  bool first_ = true;
};

}  // namespace wick
