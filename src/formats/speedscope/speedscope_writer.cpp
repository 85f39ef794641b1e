// speedscope's JSON: one "sampled" profile for each task and value type, so that the viewer's list
// of profiles is the list of threads. Stacks are root first.
//
//   {"$schema":…,"exporter":"wick","name":"CPU","activeProfileIndex":0,
//    "shared":{"frames":[{"name":"read","file":"[kernel]","wick":{"kind":"kernel"}},…]},
//    "profiles":[{"type":"sampled","name":"sh (pid 7) · samples","unit":"none","startValue":0,
//      "endValue":3,"samples":[[1,0]],"weights":[3],
//      "wick":{"comm":"sh","pid":7,"tid":0,"type":"samples","unit":"count"}}]}
//
// What is under "wick" the viewer ignores; it lets Wick read back what a name only hints at.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/saturating.h"
#include "formats/json_text.h"
#include "formats/writers.h"
#include "views/function_table.h"
#include "views/names.h"
#include "views/task_samples.h"

namespace wick {
namespace {

std::string_view viewer_unit(std::string_view unit) {
  constexpr std::array kViewerUnits{
      std::string_view{"nanoseconds"}, std::string_view{"microseconds"},
      std::string_view{"milliseconds"}, std::string_view{"seconds"}, std::string_view{"bytes"}};
  for (const std::string_view known : kViewerUnits)
    if (unit == known) return known;
  return "none";
}

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const Profile& profile, const WriteOptions& options, Sink& sink)
      : profile_(profile),
        functions_(profile),
        tasks_(samples_by_task(profile, *options.value_index)),
        options_(options),
        types_(profile.value_types().begin(), profile.value_types().end()),
        out_(sink) {
    // The viewer needs a profile to show, even an empty one.
    if (tasks_.empty()) tasks_.emplace_back();
    if (profile.info.differential && types_.size() >= 2) {
      types_[0].type = "before";
      types_[1].type = "after";
    }
  }

  Status run() {
    const std::string& title = options_.title.empty() ? profile_.info.title : options_.title;
    out_ << R"({"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"wick")"
         << R"(,"name":)" << json_quoted(title.empty() ? "wick" : title)
         << R"(,"activeProfileIndex":)" << *options_.value_index << ",\n"
         << R"("shared":{"frames":[)";
    write_frames();
    out_ << "]},\n" << R"("profiles":[)";
    for (std::size_t i = 0; i < tasks_.size(); i++)
      for (std::size_t type = 0; type < types_.size() && !out_.failed(); type++)
        // The first task tells all types; behind it, those with nothing in them only lengthen
        // the list.
        if (i == 0 || has_values(tasks_[i], type)) write_task(tasks_[i], type);
    out_ << "]}\n";
    return out_.finish();
  }

 private:
  void write_frames() {
    std::string_view comma;
    for (const Function& function : functions_.functions()) {
      out_ << comma << "\n" << R"({"name":)" << json_quoted(profile_.text(function.name));
      comma = ",";
      // The viewer's colours go by file.
      const auto file = profile_.text(function.file);
      const auto path = profile_.text(function.path);
      if (!file.empty() || !path.empty())
        out_ << R"(,"file":)" << json_quoted(file.empty() ? path : file);
      else if (function.kind == FrameKind::kernel)
        out_ << R"(,"file":"[kernel]")";
      if (function.line != 0) out_ << R"(,"line":)" << function.line;
      out_ << R"(,"wick":{"kind":")" << kind_name(function.kind) << '"';
      if (!file.empty()) out_ << R"(,"file":)" << json_quoted(file);
      if (!path.empty()) out_ << R"(,"mapping":)" << json_quoted(path);
      out_ << "}}";
    }
  }

  [[nodiscard]] bool has_values(const TaskSamples& task, std::size_t type) const {
    for (const u32 sample : task.samples)
      if (profile_.values(sample)[type] != 0) return true;
    return false;
  }

  [[nodiscard]] std::string name_of(const TaskSamples& task, std::size_t type) const {
    const std::string name = task_name(profile_, task);
    return name.empty() ? types_[type].type : fmt::format("{} · {}", name, types_[type].type);
  }

  void write_stack(StackId stack) {
    const auto leaf_first = profile_.stack(stack);
    out_ << '[';
    for (std::size_t i = leaf_first.size(); i-- > 0;)
      out_ << functions_.index_of(leaf_first[i]) << (i == 0 ? "" : ",");
    out_ << ']';
  }

  void write_task(const TaskSamples& task, std::size_t type) {
    i64 total = 0;
    for (const u32 sample : task.samples)
      total = saturating_add(total, profile_.values(sample)[type]);
    const ValueType& value = types_[type];
    out_ << std::exchange(profile_comma_, ",") << "\n"
         << R"({"type":"sampled","name":)" << json_quoted(name_of(task, type)) << R"(,"unit":")"
         << viewer_unit(value.unit) << R"(","startValue":0,"endValue":)" << total
         << R"(,"samples":[)";
    std::string_view comma;
    for (const u32 sample : task.samples) {
      if (profile_.values(sample)[type] == 0) continue;
      out_ << std::exchange(comma, ",");
      write_stack(profile_.samples()[sample].stack);
    }
    out_ << R"(],"weights":[)";
    comma = "";
    for (const u32 sample : task.samples)
      if (const i64 weight = profile_.values(sample)[type]; weight != 0)
        out_ << std::exchange(comma, ",") << weight;
    out_ << R"(],"wick":{"comm":)" << json_quoted(profile_.text(task.comm)) << R"(,"pid":)"
         << task.pid << R"(,"tid":)" << task.tid << R"(,"type":)" << json_quoted(value.type)
         << R"(,"unit":)" << json_quoted(value.unit) << "}}";
  }

  const Profile& profile_;
  FunctionTable functions_;
  std::vector<TaskSamples> tasks_;
  const WriteOptions& options_;
  std::vector<ValueType> types_;
  std::string_view profile_comma_;
  Writer out_;
};

}  // namespace

Status write_speedscope(const Profile& profile, const WriteOptions& options, Sink& sink) {
  return SpeedscopeWriter{profile, options, sink}.run();
}

}  // namespace wick
