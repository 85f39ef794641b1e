// MetricsPage: what --metrics serves: a tool's numbers from its start on, as series Prometheus can
// scrape while the tool goes on printing. No thread of its own.
//
//   auto page = TRY(MetricsPage::open(session, options, [&] { return metrics.text(lost); }));
//   waiter.watch(page->fd());
//   TRY(page->serve());                                     // when the waiter wakes
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "tool/command/session.h"
#include "tool/output/prometheus.h"
#include "tool/run/run_options.h"
#include "web/loopback_server.h"

namespace wick {

// The page itself: who asks for it makes `text` be called.
class MetricsPage {
 public:
  using Text = std::function<Result<std::string>()>;

  // Nothing when it is not asked for. Tells the person where it is.
  [[nodiscard]] static Result<std::unique_ptr<MetricsPage>> open(Session& session,
                                                                 const RunOptions& options,
                                                                 Text text);
  // What a person can get wrong about it.
  [[nodiscard]] static Status check(const RunOptions& options);

  [[nodiscard]] int fd() const { return server_->fd(); }
  // Fails when the text could not be made.
  [[nodiscard]] Status serve();

 private:
  explicit MetricsPage(Text text) : text_(std::move(text)) {}
  [[nodiscard]] std::shared_ptr<const std::string> made();

  Text text_;
  Status status_;
  std::optional<LoopbackServer> server_;
};

// What every page ends with.
void add_lost(PrometheusText& out, u64 lost);

}  // namespace wick
