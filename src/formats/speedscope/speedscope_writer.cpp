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
#include "formats/json_writer.h"
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
    json_.begin_object()
        .field("$schema", "https://www.speedscope.app/file-format-schema.json")
        .field("exporter", "wick")
        .field("name", title.empty() ? "wick" : title)
        .field("activeProfileIndex", *options_.value_index);
    json_.new_line().key("shared").begin_object().key("frames").begin_array();
    write_frames();
    json_.end_array().end_object().new_line().key("profiles").begin_array();
    for (std::size_t i = 0; i < tasks_.size(); i++)
      for (std::size_t type = 0; type < types_.size() && !out_.failed(); type++)
        // The first task tells all types; behind it, those with nothing in them only lengthen
        // the list.
        if (i == 0 || has_values(tasks_[i], type)) write_task(tasks_[i], type);
    json_.end_array().end_object();
    out_ << '\n';
    return out_.finish();
  }

 private:
  void write_frames() {
    for (const Function& function : functions_.functions()) {
      json_.new_line().begin_object().field("name", profile_.text(function.name));
      // The viewer's colours go by file.
      const auto file = profile_.text(function.file);
      const auto path = profile_.text(function.path);
      if (!file.empty() || !path.empty())
        json_.field("file", file.empty() ? path : file);
      else if (function.kind == FrameKind::kernel)
        json_.field("file", "[kernel]");
      if (function.line != 0) json_.field("line", function.line);
      json_.key("wick").begin_object().field("kind", kind_name(function.kind));
      if (!file.empty()) json_.field("file", file);
      if (!path.empty()) json_.field("mapping", path);
      json_.end_object().end_object();
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
    json_.begin_array();
    for (std::size_t i = leaf_first.size(); i-- > 0;)
      json_.value(functions_.index_of(leaf_first[i]));
    json_.end_array();
  }

  void write_task(const TaskSamples& task, std::size_t type) {
    i64 total = 0;
    for (const u32 sample : task.samples)
      total = saturating_add(total, profile_.values(sample)[type]);
    const ValueType& value = types_[type];
    json_.new_line()
        .begin_object()
        .field("type", "sampled")
        .field("name", name_of(task, type))
        .field("unit", viewer_unit(value.unit))
        .field("startValue", 0)
        .field("endValue", total);
    json_.key("samples").begin_array();
    for (const u32 sample : task.samples)
      if (profile_.values(sample)[type] != 0) write_stack(profile_.samples()[sample].stack);
    json_.end_array().key("weights").begin_array();
    for (const u32 sample : task.samples)
      if (const i64 weight = profile_.values(sample)[type]; weight != 0) json_.value(weight);
    json_.end_array()
        .key("wick")
        .begin_object()
        .field("comm", profile_.text(task.comm))
        .field("pid", task.pid)
        .field("tid", task.tid)
        .field("type", value.type)
        .field("unit", value.unit)
        .end_object()
        .end_object();
  }

  const Profile& profile_;
  FunctionTable functions_;
  std::vector<TaskSamples> tasks_;
  const WriteOptions& options_;
  std::vector<ValueType> types_;
  Writer out_;
  JsonStream json_{out_};
};

}  // namespace

Status write_speedscope(const Profile& profile, const WriteOptions& options, Sink& sink) {
  return SpeedscopeWriter{profile, options, sink}.run();
}

}  // namespace wick
