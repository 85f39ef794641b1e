#include "tool/output/metrics_page.h"

#include <fmt/format.h>

#include <utility>

#include "web/secret.h"

namespace wick {
namespace {

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

void add_lost(PrometheusText& out, u64 lost) {
  constexpr std::string_view kName = "wick_lost_total";
  out.family(kName, "counter", "what the other numbers lack");
  out.sample(kName, {}, static_cast<double>(lost));
}

}  // namespace wick
