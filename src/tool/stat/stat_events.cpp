#include "tool/stat/stat_events.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <array>

#include "base/text.h"
#include "kernel/tracefs.h"

namespace wick {
namespace {

constexpr std::array kCommon{"context-switches", "cpu-migrations", "page-faults",  "cycles",
                             "instructions",     "branches",       "branch-misses"};

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

bool is_like(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// CATEGORY:NAME[:uk], in full.
Result<std::vector<std::string>> tracepoints_like(std::string_view text) {
  std::string_view rest = text;
  const std::string category{take_until(rest, ':')};
  const std::string name{take_until(rest, ':')};
  const std::string modifiers = rest.empty() ? "" : fmt::format(":{}", rest);
  if (name.empty())
    return fail_usage(fmt::format("no events are like '{}'", printable(text)),
                      "tracepoints are, such as 'sched:*'");
  const Tracefs tracefs = TRY(Tracefs::open());
  std::vector<std::string> found;
  for (const std::string& folder : TRY(tracefs.categories())) {
    if (!is_like(category, folder)) continue;
    for (const std::string& event : TRY(tracefs.events(folder)))
      if (is_like(name, event)) found.push_back(fmt::format("{}:{}{}", folder, event, modifiers));
  }
  if (found.empty()) return fail_usage(fmt::format("no tracepoint is like '{}'", printable(text)));
  return found;
}

Status check_number(std::size_t count) {
  if (count <= kMaxStatEvents) return {};
  return fail_usage(fmt::format("{} events are more than the {} that can be counted at once", count,
                                kMaxStatEvents),
                    "use a narrower pattern");
}

}  // namespace

std::vector<EventSpec> default_events(bool of_cpus) {
  std::vector<EventSpec> events;
  const auto add = [&events](std::string_view name) {
    if (auto event = parse_event(name)) events.push_back(*std::move(event));
  };
  add(of_cpus ? "cpu-clock" : "task-clock");
  for (const std::string_view name : kCommon) add(name);
  return events;
}

Result<std::vector<EventSpec>> parse_events(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    const std::string_view name = trim(text);
    if (!is_pattern(name)) {
      names.emplace_back(name);
    } else {
      const std::vector<std::string> found = TRY(tracepoints_like(name));
      names.insert(names.end(), found.begin(), found.end());
    }
    TRY(check_number(names.size()));
  }
  std::vector<EventSpec> events;
  for (const std::string& name : names) events.push_back(TRY(parse_event(name)));
  return events;
}

}  // namespace wick
