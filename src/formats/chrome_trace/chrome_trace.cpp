#include "formats/chrome_trace/chrome_trace.h"

#include <fmt/format.h>

#include "base/text.h"
#include "formats/json_text.h"

namespace wick {

ChromeTrace::ChromeTrace(Sink& sink, u64 zero_ns) : out_(sink), zero_ns_(zero_ns) {
  out_ << R"({"displayTimeUnit":"ns","traceEvents":[)";
}

// {"ph":"X","pid":1,"tid":2,"name":"…"  with what follows left to the caller
void ChromeTrace::begin(char phase, TraceTrack track, std::string_view name) {
  out_ << (first_ ? "\n" : ",\n");
  first_ = false;
  out_ << fmt::format(R"({{"ph":"{}","pid":{},"tid":{},"name":{})", phase, track.pid, track.tid,
                      json_quoted(printable(name)));
}

// Microseconds are the format's unit; the digits behind the point are nanoseconds.
void ChromeTrace::time(std::string_view field, u64 time_ns) {
  out_ << fmt::format(R"(,"{}":{}.{:03})", field, time_ns / 1000, time_ns % 1000);
}

void ChromeTrace::metadata(std::string_view what, TraceTrack track, std::string_view name) {
  begin('M', track, what);
  out_ << R"(,"args":{"name":)" << json_quoted(printable(name)) << "}}";
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
  out_ << R"(,"args":{)";
  std::string_view comma;
  for (const TraceArgument& argument : arguments) {
    if (argument.text.empty()) continue;
    out_ << comma << json_quoted(argument.name) << ':' << json_quoted(printable(argument.text));
    comma = ",";
  }
  out_ << "}}";
}

void ChromeTrace::arrow(TraceTrack from, u64 from_ns, TraceTrack to, u64 to_ns) {
  if (from_ns < zero_ns_ || to_ns < from_ns) return;
  arrows_++;
  begin('s', from, "wake");
  time("ts", from_ns - zero_ns_);
  out_ << R"(,"cat":"wake","id":)" << arrows_ << '}';
  begin('f', to, "wake");
  time("ts", to_ns - zero_ns_);
  out_ << R"(,"cat":"wake","bp":"e","id":)" << arrows_ << '}';
}

void ChromeTrace::mark(std::string_view name, u64 time_ns) {
  begin('i', {}, name);
  time("ts", time_ns - std::min(time_ns, zero_ns_));
  out_ << R"(,"s":"g"})";
}

Status ChromeTrace::finish() {
  out_ << "\n]}\n";
  return out_.finish();
}

}  // namespace wick
