// The event shape: every event is a line as soon as it comes, as bcc's snoop tools do. What is left
// to a tool: its BPF program (bpf/lib/events.bpf.h), its own options, its columns.
//
//   EventTool<wick_syncsnoop_event> tool{.columns = {
//       text_column<wick_syncsnoop_event>("COMM", "comm", -16, …)}};
//   return run_events<syncsnoop_bpf>(session, options, tool, [&](auto& bpf) { … constants … });
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tool/command/session.h"
#include "tool/event/event_stream.h"
#include "tool/paths/path_names.h"
#include "tool/run/bpf_run.h"
#include "tool/run/intervals.h"
#include "tool/run/run_options.h"
#include "tool/run/tool_losses.h"
#include "tool/run/waiter.h"
#include "tool/table/columns.h"

namespace wick {

struct EventOptions : RunOptions {
  std::optional<double> duration;
  std::optional<u64> count;
  bool csv = false;
};

template <class Event>
struct EventTool {
  std::string heading = {};  // a line above the columns' names
  int time_width = 11;       // of TIME(s), the first column: seconds since the first event
  int time_digits = 6;
  std::string_view counted = "event";
  u32 ring_bytes = 4U << 20U;
  Columns<Event> columns;
  PathNames* names = nullptr;  // for events that have paths (bpf/lib/paths.bpf.h)
};

// What does not depend on the event: when lines begin and end, and the words around them.
class EventLines {
 public:
  EventLines(Session& session, const EventOptions& options, AttachedPrograms& programs);

  [[nodiscard]] static Status check(const EventOptions& options);
  // Reads until it is over: `read` prints what is there, true when there may be more.
  [[nodiscard]] Status run(Waiter& waiter, const std::function<Result<bool>()>& read);
  // One event, its time in front.
  void print(u64 time_ns, int width, int digits, const std::string& line);
  [[nodiscard]] bool is_enough() const { return options_.count && printed_ >= *options_.count; }
  [[nodiscard]] Status flush();
  void finish(std::string_view counted, const ToolLosses& losses) const;

 private:
  Session& session_;
  const EventOptions& options_;
  AttachedPrograms& programs_;
  u64 realtime_offset_ns_;
  u64 first_ns_ = 0;
  u64 printed_ = 0;
  std::string pending_;  // lines of one reading go out together
};

// From a run that is open and configured to the last line on standard error; `loaded` is called
// between load and attach.
template <class Event>
[[nodiscard]] Result<int> run_events(Session& session, const EventOptions& options,
                                     const EventTool<Event>& tool, BpfRun& run,
                                     const std::function<Status()>& loaded = {}) {
  BpfObject& object = run.object();
  if (tool.names != nullptr) TRY(tool.names->set_constants(object));
  TRY(run.choose_hooks(options.hooks));
  TRY(set_event_room(object, tool.ring_bytes));
  TRY(run.load());
  if (tool.names != nullptr) TRY(tool.names->open(object));
  if (loaded) TRY(loaded());
  EventStream<Event> stream = TRY(EventStream<Event>::open(object));
  if (options.csv)
    TRY(session.out().write("time," + csv_head(tool.columns)));
  else if (!options.json)
    TRY(session.out().write(tool.heading + event_head(tool)));
  TRY(run.attach(options.stats));
  EventLines lines{session, options, run.programs()};
  const auto read = [&]() -> Result<bool> {
    if (tool.names != nullptr) TRY(tool.names->poll());
    const bool more = TRY(stream.read([&](const Event& event, u64) {
      if (lines.is_enough()) return;
      lines.print(event.head.time_ns, tool.time_width, tool.time_digits,
                  event_line(tool, options, event));
    }));
    TRY(lines.flush());
    return more;
  };
  Waiter waiter{session, run.targets()};
  waiter.watch(stream.poll_fd());
  TRY(lines.run(waiter, read));
  lines.finish(tool.counted, losses_of(object));
  if (tool.names != nullptr) tool.names->tell_losses(session);
  return 0;
}
template <Skeleton S, class Event, class Configure, class Loaded>
[[nodiscard]] Result<int> run_events(Session& session, const EventOptions& options,
                                     const EventTool<Event>& tool, Configure&& configure,
                                     Loaded&& loaded) {
  TRY(EventLines::check(options));
  SkeletonRun<S> run = TRY(SkeletonRun<S>::open(options));
  TRY(run.configure(configure));
  return run_events(session, options, tool, run, [&] { return loaded(*run); });
}
template <Skeleton S, class Event, class Configure>
[[nodiscard]] Result<int> run_events(Session& session, const EventOptions& options,
                                     const EventTool<Event>& tool, Configure&& configure) {
  return run_events<S>(session, options, tool, configure, [](S&) { return Status{}; });
}

// The names of the columns, and an event without its time, as asked for.
template <class Event>
[[nodiscard]] std::string event_head(const EventTool<Event>& tool) {
  std::vector<std::string> titles = titles_of(tool.columns);
  std::vector<int> widths = widths_of(tool.columns);
  titles.insert(titles.begin(), "TIME(s)");
  widths.insert(widths.begin(), -tool.time_width);
  return padded_line(titles, widths);
}
template <class Event>
[[nodiscard]] std::string event_line(const EventTool<Event>& tool, const EventOptions& options,
                                     const Event& event) {
  if (options.json) return json_fields(tool.columns, event);
  if (options.csv) return csv_row(tool.columns, event);
  return padded_line(cells_of(tool.columns, event), widths_of(tool.columns));
}

// A task's name and number, as the event has them.
template <class Event>
[[nodiscard]] ColumnOf<Event> comm_column(int width = -16) {
  return text_column<Event>("COMM", "comm", width, [](const Event& event) {
    return fixed_text(event.comm, sizeof(event.comm));
  });
}

// In JSON and CSV only, where bcc's text has no column for it.
template <class Event>
[[nodiscard]] ColumnOf<Event> hidden_pid_column() {
  return number_column<Event>("", "pid", 0, [](const Event& event) { return event.pid; });
}

template <class O>
inline constexpr std::array kEventOptions{
    flag<O, &O::json>(0, "json", "a JSON object a line for each event"),
    flag<O, &O::csv>(0, "csv", "comma-separated values, the columns' names first"),
    flag<O, &O::stats>(0, "stats", "say what the run cost"),
    value<O, &O::duration>(0, "duration", "SECONDS", "end after this time"),
    value<O, &O::count>(0, "count", "N", "end after so many events"),
};

}  // namespace wick
