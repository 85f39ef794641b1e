#include "formats/chrome_trace/chrome_trace.h"

#include <fmt/format.h>

#include "base/text.h"

namespace wick {

ChromeTrace::ChromeTrace(Sink& sink, u64 zero_ns) : out_(sink), zero_ns_(zero_ns) {
  json_.begin_object().field("displayTimeUnit", "ns").key("traceEvents").begin_array();
}

// {"ph":"X","pid":1,"tid":2,"name":"…"  with what follows left to the caller
void ChromeTrace::begin(char phase, TraceTrack track, std::string_view name) {
  json_.new_line()
      .begin_object()
      .field("ph", std::string_view{&phase, 1})
      .field("pid", track.pid)
      .field("tid", track.tid)
      .field("name", printable(name));
}

// Microseconds are the format's unit; the digits behind the point are nanoseconds.
void ChromeTrace::time(std::string_view field, u64 time_ns) {
  json_.key(field).raw(fmt::format("{}.{:03}", time_ns / 1000, time_ns % 1000));
}

void ChromeTrace::metadata(std::string_view what, TraceTrack track, std::string_view name) {
  begin('M', track, what);
  json_.key("args").begin_object().field("name", printable(name)).end_object().end_object();
}

void ChromeTrace::name_process(u32 pid, std::string_view name) {
  metadata("process_name", {.pid = pid, .tid = pid}, name);
}

void ChromeTrace::name_thread(TraceTrack track, std::string_view name) {
  metadata("thread_name", track, name);
}

void ChromeTrace::slice(TraceTrack track, std::string_view name, u64 begin_ns, u64 end_ns,
                        TraceArguments arguments) {
  begin_ns = std::max(begin_ns, zero_ns_);
  if (end_ns < begin_ns) return;
  begin('X', track, name);
  time("ts", begin_ns - zero_ns_);
  time("dur", end_ns - begin_ns);
  json_.key("args").begin_object();
  for (const TraceArgument& argument : arguments)
    if (!argument.text.empty()) json_.field(argument.name, printable(argument.text));
  json_.end_object().end_object();
}

void ChromeTrace::arrow(TraceTrack from, u64 from_ns, TraceTrack to, u64 to_ns) {
  if (from_ns < zero_ns_ || to_ns < from_ns) return;
  arrows_++;
  begin('s', from, "wake");
  time("ts", from_ns - zero_ns_);
  json_.field("cat", "wake").field("id", arrows_).end_object();
  begin('f', to, "wake");
  time("ts", to_ns - zero_ns_);
  json_.field("cat", "wake").field("bp", "e").field("id", arrows_).end_object();
}

void ChromeTrace::mark(std::string_view name, u64 time_ns) {
  begin('i', {}, name);
  time("ts", time_ns - std::min(time_ns, zero_ns_));
  json_.field("s", "g").end_object();
}

Status ChromeTrace::finish() {
  json_.new_line().end_array().end_object();
  out_ << '\n';
  return out_.finish();
}

}  // namespace wick
