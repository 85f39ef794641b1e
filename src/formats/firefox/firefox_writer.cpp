// The Firefox profiler's processed profile, version 66: tables shared by all threads, then a thread
// for each task. A differential profile has three processes: before, after and their difference.
//
//   {"meta":{…,"preprocessedProfileVersion":66},"libs":[…],"shared":{…},
//    "threads":[{"name":"sh","pid":"7","tid":"8","samples":{"stack":[4],"time":[0],"weight":[3]},…}]}
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "formats/firefox/firefox_names.h"
#include "formats/firefox/firefox_tables.h"
#include "formats/firefox/firefox_timeline.h"
#include "formats/json_writer.h"
#include "formats/writers.h"
#include "views/names.h"

namespace wick {
namespace {

double milliseconds(u64 nanoseconds) {
  return static_cast<double>(nanoseconds) / kNanosPerMilli;
}

i64 negated(i64 value) {
  return value == std::numeric_limits<i64>::min() ? std::numeric_limits<i64>::max() : -value;
}

class FirefoxWriter {
 public:
  FirefoxWriter(const Profile& profile, const WriteOptions& options, Sink& sink)
      : profile_(profile),
        options_(options),
        value_index_(*options.value_index),
        weight_(profile.value_types()[value_index_].unit),
        tasks_(samples_by_task(profile, value_index_)),
        tables_(profile),
        out_(sink) {
    // The profiler refuses a file without threads.
    if (tasks_.empty()) tasks_.emplace_back();
    for (const TaskSamples& task : tasks_) {
      has_pids_ |= task.pid != 0;
      // The main thread's name is the process's; failing that, its heaviest thread's.
      const auto [entry, is_new] = process_names_.try_emplace(task.pid, task.comm);
      if (!is_new && task.tid == task.pid) entry->second = task.comm;
    }
  }

  Status run() {
    json_.begin_object().key("meta");
    write_meta();
    json_.new_line().key("libs").begin_array();
    tables_.write_libraries(json_);
    json_.end_array().new_line().key("shared");
    tables_.write_shared(json_);
    json_.new_line().key("threads").begin_array();
    write_threads();
    json_.end_array().end_object();
    out_ << '\n';
    return out_.finish();
  }

 private:
  void write_meta() {
    const ProfileInfo& info = profile_.info;
    const std::string& title = options_.title.empty() ? info.title : options_.title;
    json_.begin_object()
        .field("version", 31)
        .field("preprocessedProfileVersion", 66)
        .field("product", title.empty() ? "wick" : title)
        .field("importedFrom", "wick");
    json_.key("interval").raw(fmt::format("{}", sampling_interval_ms(info)));
    json_.key("startTime").decimal(milliseconds(info.start_unix_ns), 6);
    json_.field("profilingStartTime", 0);
    json_.key("profilingEndTime").decimal(milliseconds(info.duration_ns), 6);
    json_.field("processType", 0)
        .field("stackwalk", 1)
        .field("debug", false)
        .field("platform", "Linux")
        .field("oscpu", info.kernel)
        .field("arguments", info.command);
    if (info.cpus != 0) json_.field("logicalCPUs", info.cpus);
    for (const std::string_view name :
         {"symbolicated", "symbolicationNotSupported", "usesOnlyOneStackType",
          "sourceCodeIsNotOnSearchfox", "keepProfileThreadOrder"})
      json_.field(name, true);
    json_.key("sampleUnits")
        .begin_object()
        .field("time", "ms")
        .field("eventDelay", "ms")
        .field("threadCPUDelta", "ns")
        .end_object();
    json_.key("markerSchema").begin_array().end_array().key("extra").begin_array();
    json_.begin_object().field("label", "Wick").key("entries").begin_array();
    write_entries();
    json_.end_array().end_object().end_array();
    json_.key("categories").raw(firefox_categories()).end_object();
  }

  void write_entries() {
    const auto entry = [&](std::string_view label, std::string_view text) {
      if (text.empty()) return;
      json_.begin_object().field("label", label).field("format", "string").field("value", text);
      json_.end_object();
    };
    const ValueType& type = profile_.value_types()[value_index_];
    entry("Values", fmt::format("{} in {}", type.type, type.unit));
    entry("Host", profile_.info.host);
    entry("Lost or not whole", losses_text(profile_.info));
  }

  void write_threads() {
    if (!profile_.info.differential || profile_.value_types().size() < 2) {
      write_process(firefox_timeline(profile_, tasks_, value_index_), {});
      return;
    }
    auto before = firefox_timeline(profile_, tasks_, 0);
    const auto after = firefox_timeline(profile_, tasks_, 1);
    write_process(before, "before");
    write_process(after, "after");
    // As the profiler's own comparisons are: what went is negative.
    for (std::size_t i = 0; i < tasks_.size(); i++) {
      for (TimelineRow& row : before[i]) row.weight = negated(row.weight);
      before[i].insert(before[i].end(), after[i].begin(), after[i].end());
      std::ranges::sort(before[i]);
    }
    write_process(before, "change");
  }

  // `name` takes the place of the tasks' PIDs.
  void write_process(const std::vector<std::vector<TimelineRow>>& rows, std::string_view name) {
    for (std::size_t i = 0; i < tasks_.size() && !out_.failed(); i++) {
      json_.new_line().begin_object();
      write_thread_head(tasks_[i], name);
      write_samples(rows[i]);
      write_no_markers();
      json_.end_object();
    }
  }

  void write_no_markers() {
    json_.key("markers").begin_object();
    for (const std::string_view column :
         {"data", "name", "startTime", "endTime", "phase", "category"})
      json_.key(column).begin_array().end_array();
    json_.field("length", 0).end_object();
  }

  // Two tasks of one thread are possible: it took another name, or is both before and after.
  std::string unique_tid(const TaskSamples& task) {
    const u32 tid = task.tid == 0 ? task.pid : task.tid;
    const u32 again = tids_[tid]++;
    return again == 0 ? std::to_string(tid) : fmt::format("{}.{}", tid, again);
  }

  std::string pid_of(const TaskSamples& task, std::string_view process) const {
    if (!process.empty()) return std::string{process};
    const std::string_view comm = profile_.text(task.comm);
    return has_pids_ || comm.empty() ? std::to_string(task.pid) : std::string{comm};
  }

  void write_thread_head(const TaskSamples& task, std::string_view process) {
    const std::string_view comm = profile_.text(task.comm);
    const std::string name = process.empty() ? std::string{comm} : task_name(profile_, task);
    const std::string_view process_name =
        !process.empty() ? process
                         : profile_.text(has_pids_ ? process_names_[task.pid] : task.comm);
    json_.field("processType", "default")
        .field("processStartupTime", 0)
        .field("processShutdownTime", nullptr)
        .field("registerTime", 0)
        .field("unregisterTime", nullptr);
    json_.key("pausedRanges").begin_array().end_array();
    json_.field("name", name.empty() ? "all" : name)
        .field("processName", process_name.empty() ? "all" : process_name)
        .field("isMainThread", task.tid == 0 || task.tid == task.pid)
        .field("pid", pid_of(task, process))
        .field("tid", unique_tid(task));
  }

  void write_samples(const std::vector<TimelineRow>& rows) {
    json_.key("samples").begin_object().field("length", rows.size());
    json_.field("weightType", weight_.type()).key("stack").begin_array();
    for (const TimelineRow& row : rows)
      json_.value(tables_.node_of(profile_.samples()[row.sample].stack));
    json_.end_array().key("time").begin_array();
    for (const TimelineRow& row : rows) json_.decimal(row.time_ms, 6);
    json_.end_array().key("weight").begin_array();
    for (const TimelineRow& row : rows) json_.raw(weight_.text(row.weight));
    json_.end_array().end_object();
  }

  const Profile& profile_;
  const WriteOptions& options_;
  std::size_t value_index_;
  FirefoxWeight weight_;
  std::vector<TaskSamples> tasks_;
  FirefoxTables tables_;
  bool has_pids_ = false;
  std::unordered_map<u32, StringId> process_names_;
  std::unordered_map<u32, u32> tids_;  // how often each was given out
  Writer out_;
  JsonStream json_{out_};
};

}  // namespace

Status write_firefox(const Profile& profile, const WriteOptions& options, Sink& sink) {
  return FirefoxWriter{profile, options, sink}.run();
}

}  // namespace wick
