#include "tool/output/metrics.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "web/secret.h"

namespace wick {
namespace {

// A page of some 100 KB; a histogram has 30 lines.
constexpr std::size_t kMostRows = 1000;
constexpr std::size_t kMostHistograms = 200;

void add_lost(PrometheusText& out, u64 lost) {
  constexpr std::string_view kName = "wick_lost_total";
  out.family(kName, "counter", "what the other numbers lack");
  out.sample(kName, {}, static_cast<double>(lost));
}

double value_of(const TableColumn& column, const TableRow& row) {
  if (column.bytes) return column.bytes(row);
  return column.rank ? column.rank(row) * in_base_unit(column.json_name).scale : 0;
}

void add_each(std::vector<double>& into, const std::vector<double>& from) {
  for (std::size_t i = 0; i < into.size(); i++) into[i] += from[i];
}

double first_of(const std::vector<double>& values) {
  return values.empty() ? 0 : values.front();
}

// One for each name: kilobytes for people and bytes for programs are the same metric.
std::vector<const TableColumn*> columns_of(const TableTool& tool, ColumnMetric metric) {
  std::vector<const TableColumn*> out;
  std::set<std::string> names;
  for (const TableColumn& column : tool.columns)
    if (column.metric == metric && names.insert(in_base_unit(column.json_name).name).second)
      out.push_back(&column);
  return out;
}

// Every user of the machine can reach the page, and it has the commands and paths of all of them.
Result<std::string> metrics_token(const RunOptions& options) {
  if (!options.metrics_token_file) return random_secret();
  return TRY_CTX(secret_from_file(*options.metrics_token_file), "--metrics-token-file");
}

}  // namespace

Status MetricsPage::check(const RunOptions& options) {
  if (options.metrics_token_file && !options.metrics)
    return fail_usage("--metrics-token-file is for --metrics");
  if (options.metrics) TRY_CTX(LoopbackAddress::parse(*options.metrics), "--metrics");
  if (options.metrics_token_file)
    TRY_CTX(secret_from_file(*options.metrics_token_file), "--metrics-token-file");
  return {};
}

Result<std::unique_ptr<MetricsPage>> MetricsPage::open(Session& session, const RunOptions& options,
                                                       Text text) {
  if (!options.metrics) return nullptr;
  const LoopbackAddress address = TRY_CTX(LoopbackAddress::parse(*options.metrics), "--metrics");
  const std::string token = TRY(metrics_token(options));
  std::unique_ptr<MetricsPage> page{new MetricsPage{std::move(text)}};
  page->server_ =
      TRY_CTX(LoopbackServer::open(address, {.path = "/metrics",
                                             .type = kPrometheusType,
                                             .make = [own = page.get()] { return own->made(); },
                                             .token = token}),
              "--metrics");
  session.note(fmt::format("metrics at {}", page->server_->url()));
  if (!options.metrics_token_file)
    session.note(fmt::format("metrics token: {} (Authorization: Bearer …)", token));
  return page;
}

std::shared_ptr<const std::string> MetricsPage::made() {
  Result<std::string> text = text_();
  if (!text) status_ = std::unexpected(text.error());
  return std::make_shared<const std::string>(text ? std::move(*text) : std::string{});
}

Status MetricsPage::serve() {
  server_->serve_ready();
  return std::exchange(status_, Status{});
}

TableMetrics::TableMetrics(std::string_view command, const TableTool& tool)
    : prefix_(fmt::format("wick_{}_", metric_word(command))),
      tool_(tool),
      counters_(columns_of(tool, ColumnMetric::counter)),
      sums_(std::vector<double>(counters_.size()), kMostRows, first_of, add_each) {
  // A table of one row begins with zeros.
  if (columns_of(tool, ColumnMetric::label).empty())
    sums_.add({}, std::vector<double>(counters_.size()));
}

MetricLabels TableMetrics::labels_of(const TableRow& row) const {
  MetricLabels labels;
  for (const TableColumn* column : columns_of(tool_, ColumnMetric::label))
    labels.push_back({column->json_name, std::string(trim(column->text(row)))});
  return labels;
}

void TableMetrics::add(const std::vector<TableRow>& rows) {
  for (const TableRow& row : rows) {
    std::vector<double> values;
    for (const TableColumn* column : counters_) values.push_back(value_of(*column, row));
    sums_.add(labels_of(row), values);
  }
  sums_.fold();
}

void TableMetrics::show(const std::vector<TableRow>& rows) {
  shown_.clear();
  TableOptions most;
  most.top = kMostRows;
  for (const TableRow& row : top_rows(rows, tool_, most)) shown_.try_emplace(labels_of(row), row);
}

void TableMetrics::add_gauges(PrometheusText& out, const TableColumn& column) const {
  const std::string name = prefix_ + in_base_unit(column.json_name).name;
  out.family(name, "gauge", fmt::format("{} of the last interval", column.json_name));
  for (const auto& [labels, row] : shown_) out.sample(name, labels, value_of(column, row));
}

std::string TableMetrics::text(u64 lost) const {
  PrometheusText out;
  for (std::size_t i = 0; i < counters_.size(); i++) {
    const std::string& column = counters_[i]->json_name;
    const std::string name = prefix_ + in_base_unit(column).name + "_total";
    out.family(name, "counter", fmt::format("{} since the start", column));
    for (const auto& [labels, values] : sums_.all()) out.sample(name, labels, (*values)[i]);
  }
  for (const TableColumn* column : columns_of(tool_, ColumnMetric::gauge)) add_gauges(out, *column);
  add_lost(out, lost);
  return out.text();
}

HistogramMetrics::HistogramMetrics(std::string_view command, const HistogramTool& tool)
    : name_(fmt::format("wick_{}", metric_word(command))),
      tool_(tool),
      histograms_(
          Histogram{tool.unit}, kMostHistograms,
          [](const Histogram& one) { return static_cast<double>(one.count()); },
          [](Histogram& into, const Histogram& from) { into.add(from); }) {
  if (const std::string unit = in_base_unit(tool.unit).name; !unit.empty()) name_ += "_" + unit;
  if (!tool.labels) histograms_.add({}, Histogram{tool.unit});
}

void HistogramMetrics::add(const std::vector<KeyedHistogram>& histograms) {
  for (const KeyedHistogram& one : histograms) {
    MetricLabels labels;
    if (tool_.labels)
      for (const HistogramLabel& label : tool_.labels(one))
        labels.push_back({label.name, label.text});
    histograms_.add(labels, one.histogram);
  }
  histograms_.fold();
}

std::string HistogramMetrics::text(u64 lost) const {
  PrometheusText out;
  out.family(name_, "histogram", fmt::format("{}s since the start", tool_.counted));
  for (const auto& [labels, histogram] : histograms_.all())
    out.histogram(name_, labels, *histogram);
  add_lost(out, lost);
  return out.text();
}

}  // namespace wick
