// RunOptions: what every tracing command of the histogram, table and event shapes can be told.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "tool/command/option.h"
#include "tool/run/task_filter.h"

namespace wick {

struct RunOptions : TaskFilter {
  bool json = false;
  bool stats = false;
  std::optional<std::string> metrics;  // where to serve them; not for events
  std::optional<std::string> metrics_token_file;
  std::optional<std::string> hooks;  // only tools with kHookOptions take it
};

template <class O>
inline constexpr Option kMetricsOption = value<O, &O::metrics>(
    0, "metrics", "ADDRESS",
    "serve the sums for Prometheus on this port of 127.0.0.1, or on [::1]:PORT");
template <class O>
inline constexpr Option kMetricsTokenOption = value<O, &O::metrics_token_file>(
    0, "metrics-token-file", "FILE",
    "the token that a scrape must send (made if FILE is not there; default: a new one, printed)");

// [interval] [count], for tools that print every so often.
template <class O>
inline constexpr std::array kIntervalPositionals{
    positional<O, &O::interval>("interval", "seconds between outputs (default: one, at Ctrl-C)"),
    positional<O, &O::count>("count", "outputs (default: until Ctrl-C)"),
};
// The same where the tool prints every second, or five, unless told otherwise.
template <class O>
inline constexpr std::array kTopPositionals{
    positional<O, &O::interval>("interval", "seconds between outputs"),
    positional<O, &O::count>("count", "outputs (default: until Ctrl-C)"),
};

}  // namespace wick
