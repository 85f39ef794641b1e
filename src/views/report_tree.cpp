#include "views/report_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "views/report_order.h"

namespace wick {
namespace {

constexpr u32 kNoString = ~u32{0};
constexpr u64 kNanosPerMicro = 1000;

// Gives texts dense numbers as they are asked for.
class ColumnStrings {
 public:
  explicit ColumnStrings(const Profile& profile) : numbers_(profile.strings.size(), kNoString) {}
  u32 number(StringId id) {
    u32& number = numbers_[id.index()];
    if (number == kNoString) {
      number = static_cast<u32>(used.size());
      used.push_back(id);
    }
    return number;
  }
  std::vector<StringId> used;

 private:
  std::vector<u32> numbers_;
};

// Samples of one task, and labels, under one number each.
class Tasks {
 public:
  u32 number(const Sample& sample) {
    const Task task{sample.comm.value(), sample.pid, sample.tid};
    if (!all_.empty() && all_[last_] == task) return last_;
    const auto [at, is_new] = numbers_.try_emplace(task, static_cast<u32>(all_.size()));
    if (is_new) all_.push_back(task);
    return last_ = at->second;
  }

  void write(ColumnStrings& strings, std::vector<Column>& columns) const {
    Column comm{"task_comm"};
    Column pid{"task_pid"};
    Column tid{"task_tid"};
    for (const Task& task : all_) {
      comm.push(strings.number(StringId{task[0]}));
      pid.push(task[1]);
      tid.push(task[2]);
    }
    columns.insert(columns.end(), {comm, pid, tid});
  }

 private:
  using Task = std::array<u32, 3>;  // comm, pid, tid
  std::vector<Task> all_;
  std::map<Task, u32> numbers_;
  u32 last_ = 0;
};

class LabelTexts {
 public:
  explicit LabelTexts(const Profile& profile) : profile_(profile) { all.emplace_back(); }

  u32 number(const Sample& sample) {
    if (sample.labels.empty()) return 0;
    std::string text;
    for (const Label& label : sample.labels) {
      if (!text.empty()) text += ", ";
      text.append(profile_.text(label.key)).push_back('=');
      if (const auto value = profile_.text(label.text); !value.empty())
        text.append(value);
      else
        text += fmt::format("{}{}", label.number, profile_.text(label.unit));
    }
    const auto [at, is_new] = numbers_.try_emplace(std::move(text), static_cast<u32>(all.size()));
    if (is_new) all.push_back(at->first);
    return at->second;
  }
  std::vector<std::string> all;

 private:
  const Profile& profile_;
  std::map<std::string, u32> numbers_;
};

class TreeBuilder {
 public:
  explicit TreeBuilder(const Profile& profile)
      : profile_(profile),
        strings_(profile),
        labels_(profile),
        functions_(profile),
        order_(profile, functions_),
        value_columns_(value_columns(profile)) {}

  ReportTree build() {
    sort_samples();
    row_of_sample_.assign(profile_.samples().size(), 0);
    for (std::size_t i = 0; i < samples_.size(); i++) add_sample(i);
    flush_row();
    write_functions();
    tasks_.write(strings_, tree_.columns);
    add_columns({&ups_, &node_functions_, &row_nodes_, &row_tasks_});
    if (labels_.all.size() > 1) tree_.columns.push_back(row_labels_);
    for (Column& column : value_columns_) tree_.columns.push_back(std::move(column));
    write_moments();
    tree_.strings = std::move(strings_.used);
    tree_.labels = std::move(labels_.all);
    return std::move(tree_);
  }

 private:
  struct SortedSample {
    u64 place;  // label, then the stack's rank
    u32 task;
    u32 labels;
    u32 sample;
    auto operator<=>(const SortedSample&) const = default;
  };

  static std::vector<Column> value_columns(const Profile& profile) {
    std::vector<Column> columns;
    for (std::size_t i = 0; i < profile.value_types().size(); i++)
      columns.emplace_back(fmt::format("value{}", i));
    return columns;
  }

  // A profile that knows no process names has no level for them.
  [[nodiscard]] bool has_label(const Sample& sample) const { return sample.comm != StringId{}; }

  void sort_samples() {
    samples_.reserve(profile_.samples().size());
    u32 index = 0;
    for (const Sample& sample : profile_.samples()) {
      const u64 label = has_label(sample) ? functions_.of_comm(sample.comm) + u64{1} : 0;
      samples_.push_back({.place = label << 32 | order_.rank(sample.stack),
                          .task = tasks_.number(sample),
                          .labels = labels_.number(sample),
                          .sample = index++});
    }
    std::ranges::sort(samples_);
  }

  void add_sample(std::size_t at) {
    const SortedSample& now = samples_[at];
    const SortedSample* before = at > 0 ? &samples_[at - 1] : nullptr;
    const bool same_node = before != nullptr && before->place == now.place;
    if (!same_node || before->task != now.task || before->labels != now.labels) {
      flush_row();
      if (!same_node) add_nodes(now, before);
      row_task_ = now.task;
      row_label_ = now.labels;
      row_values_.assign(value_columns_.size(), 0);
    }
    const auto values = profile_.values(now.sample);
    for (std::size_t i = 0; i < row_values_.size(); i++) {
      if (values[i] < 0) tree_.negative_values++;
      const u64 more = static_cast<u64>(std::max<i64>(values[i], 0));
      row_values_[i] = more > ~u64{0} - row_values_[i] ? ~u64{0} : row_values_[i] + more;
    }
    row_of_sample_[now.sample] = static_cast<u32>(rows_);
  }

  void flush_row() {
    if (row_values_.empty()) return;
    row_nodes_.push(node_ - last_row_node_);
    last_row_node_ = node_;
    row_tasks_.push(row_task_);
    row_labels_.push(row_label_);
    for (std::size_t i = 0; i < row_values_.size(); i++) value_columns_[i].push(row_values_[i]);
    rows_++;
    row_values_.clear();
  }

  // Node 0 is the root of all; it has depth 0 and stands in no column.
  void add_nodes(const SortedSample& now, const SortedSample* before) {
    const Sample& sample = profile_.samples()[now.sample];
    const auto stack = profile_.stack(sample.stack);
    const std::size_t label_levels = has_label(sample) ? 1 : 0;
    std::size_t shared = 0;
    if (before != nullptr && before->place >> 32 == now.place >> 32)
      shared = label_levels + order_.shared(profile_.samples()[before->sample].stack, sample.stack);
    for (std::size_t depth = shared; depth < label_levels + stack.size(); depth++) {
      ups_.push(depth_ - depth);
      depth_ = depth + 1;
      node_functions_.push(depth < label_levels ? functions_.of_comm(sample.comm)
                                                : order_.function(stack, depth - label_levels));
      tree_.nodes++;
    }
    // A stack that is the beginning of the one before would have come first: the last node added
    // is always this sample's, or the root's for a sample without any frame.
    node_ = label_levels + stack.size() == 0 ? 0 : tree_.nodes;
  }

  void write_functions() {
    Column name{"function_name"};
    Column kind{"function_kind"};
    Column path{"function_path"};
    Column file{"function_file"};
    Column line{"function_line"};
    for (const ReportFunction& function : functions_.all()) {
      name.push(strings_.number(function.name));
      kind.push(function.kind);
      path.push(strings_.number(function.path));
      file.push(strings_.number(function.file));
      line.push(function.line);
    }
    add_columns({&name, &kind, &path, &file, &line});
  }

  void add_columns(std::initializer_list<Column*> columns) {
    for (Column* column : columns) tree_.columns.push_back(std::move(*column));
  }

  void write_moments() {
    if (profile_.moments().empty()) return;
    std::vector<Moment> moments(profile_.moments().begin(), profile_.moments().end());
    std::ranges::sort(moments, {}, &Moment::time_ns);
    Column time{"moment_step"};  // microseconds since the one before
    Column row{"moment_row"};
    Column value{"moment_value"};
    u64 last = moments.front().time_ns / kNanosPerMicro;
    for (const Moment& moment : moments) {
      if (moment.sample >= row_of_sample_.size()) continue;
      const u64 now = moment.time_ns / kNanosPerMicro;
      time.push(now - std::exchange(last, now));
      row.push(row_of_sample_[moment.sample]);
      value.push(static_cast<u64>(std::max<i64>(moment.value, 0)));
    }
    add_columns({&time, &row, &value});
  }

  const Profile& profile_;
  ColumnStrings strings_;
  Tasks tasks_;
  LabelTexts labels_;
  ReportFunctions functions_;
  StackOrder order_;
  ReportTree tree_;
  std::vector<SortedSample> samples_;
  std::vector<u32> row_of_sample_;

  Column ups_{"node_up"};
  Column node_functions_{"node_function"};
  std::size_t depth_ = 0;  // of the last node
  u64 node_ = 0;           // of the current row

  Column row_nodes_{"row_node"};  // since the row before
  Column row_tasks_{"row_task"};
  Column row_labels_{"row_labels"};
  std::vector<Column> value_columns_;
  u64 rows_ = 0;
  u64 last_row_node_ = 0;
  u32 row_task_ = 0;
  u32 row_label_ = 0;
  std::vector<u64> row_values_;  // empty: no row is open
};

}  // namespace

ReportTree build_report_tree(const Profile& profile) {
  return TreeBuilder{profile}.build();
}

}  // namespace wick
