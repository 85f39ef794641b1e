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
#include "formats/json_text.h"
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
    out_ << R"({"meta":)";
    write_meta();
    out_ << ",\n" << R"("libs":[)";
    tables_.write_libraries(out_);
    out_ << "],\n" << R"("shared":)";
    tables_.write_shared(out_);
    out_ << ",\n" << R"("threads":[)";
    write_threads();
    out_ << "]}\n";
    return out_.finish();
  }

 private:
  void write_meta() {
    const ProfileInfo& info = profile_.info;
    const std::string& title = options_.title.empty() ? info.title : options_.title;
    out_ << R"({"version":31,"preprocessedProfileVersion":66,"product":)"
         << json_quoted(title.empty() ? "wick" : title) << R"(,"importedFrom":"wick","interval":)"
         << fmt::format("{}", sampling_interval_ms(info)) << R"(,"startTime":)"
         << fmt::format("{:.6f}", milliseconds(info.start_unix_ns))
         << R"(,"profilingStartTime":0,"profilingEndTime":)"
         << fmt::format("{:.6f}", milliseconds(info.duration_ns))
         << R"(,"processType":0,"stackwalk":1,"debug":false,"platform":"Linux","oscpu":)"
         << json_quoted(info.kernel) << R"(,"arguments":)" << json_quoted(info.command);
    if (info.cpus != 0) out_ << R"(,"logicalCPUs":)" << info.cpus;
    out_ << R"(,"symbolicated":true,"symbolicationNotSupported":true,"usesOnlyOneStackType":true)"
         << R"(,"sourceCodeIsNotOnSearchfox":true,"keepProfileThreadOrder":true)"
         << R"(,"sampleUnits":{"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"})"
         << R"(,"markerSchema":[],"extra":[{"label":"Wick","entries":[)";
    write_entries();
    out_ << R"(]}],"categories":)" << firefox_categories() << '}';
  }

  void write_entries() {
    std::string_view comma;
    const auto entry = [&](std::string_view label, std::string_view text) {
      if (text.empty()) return;
      out_ << std::exchange(comma, ",") << R"({"label":)" << json_quoted(label)
           << R"(,"format":"string","value":)" << json_quoted(text) << '}';
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
      out_ << std::exchange(thread_comma_, ",") << "\n";
      write_thread_head(tasks_[i], name);
      write_samples(rows[i]);
      out_ << R"(,"markers":{"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],)"
           << R"("category":[],"length":0}})";
    }
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
    out_ << R"({"processType":"default","processStartupTime":0,"processShutdownTime":null)"
         << R"(,"registerTime":0,"unregisterTime":null,"pausedRanges":[],"name":)"
         << json_quoted(name.empty() ? "all" : name) << R"(,"processName":)"
         << json_quoted(process_name.empty() ? "all" : process_name) << R"(,"isMainThread":)"
         << (task.tid == 0 || task.tid == task.pid ? "true" : "false") << R"(,"pid":)"
         << json_quoted(pid_of(task, process)) << R"(,"tid":)" << json_quoted(unique_tid(task));
  }

  void write_samples(const std::vector<TimelineRow>& rows) {
    out_ << R"(,"samples":{"length":)" << rows.size() << R"(,"weightType":")" << weight_.type()
         << R"(","stack":[)";
    std::string_view comma;
    for (const TimelineRow& row : rows) {
      out_ << std::exchange(comma, ",");
      if (const auto node = tables_.node_of(profile_.samples()[row.sample].stack))
        out_ << *node;
      else
        out_ << "null";
    }
    out_ << R"(],"time":[)";
    comma = "";
    for (const TimelineRow& row : rows)
      out_ << std::exchange(comma, ",") << fmt::format("{:.6f}", row.time_ms);
    out_ << R"(],"weight":[)";
    comma = "";
    for (const TimelineRow& row : rows)
      out_ << std::exchange(comma, ",") << weight_.text(row.weight);
    out_ << "]}";
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
  std::string_view thread_comma_;
  Writer out_;
};

}  // namespace

Status write_firefox(const Profile& profile, const WriteOptions& options, Sink& sink) {
  return FirefoxWriter{profile, options, sink}.run();
}

}  // namespace wick
