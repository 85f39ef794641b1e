#include "tool/run/tool_losses.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"

namespace wick {
namespace {

struct Counter {
  std::string_view name;
  std::string_view cause;
};
constexpr std::array kCounters{
    Counter{"ends_unseen", "whose end the kernel did not report"},
    Counter{"starts_full", "beyond those kept at a time"},
    Counter{"starts_lost", "for want of memory to keep their start"},
    Counter{"histogram_lost", "beyond the histograms there is room for"},
    Counter{"table_lost", "beyond the rows there is room for"},
    Counter{"events_lost", "for a full ring buffer"},
};

}  // namespace

u64 ToolLosses::total() const {
  u64 sum = 0;
  for (const Cause& cause : causes_) sum += cause.count;
  return sum;
}

std::string ToolLosses::text() const {
  std::string out = "lost " + with_commas(total());
  for (std::size_t i = 0; i < causes_.size(); i++)
    out += fmt::format("{}{} {}", i == 0 ? ": " : ", ", with_commas(causes_[i].count),
                       causes_[i].text);
  return out;
}

ToolLosses losses_of(const std::function<std::optional<u64>(std::string_view)>& count) {
  ToolLosses out;
  for (const Counter& counter : kCounters) out.add(count(counter.name).value_or(0), counter.cause);
  return out;
}

ToolLosses losses_of(const BpfObject& object) {
  return losses_of([&](std::string_view name) -> std::optional<u64> {
    const u64* counter = object.find_variable<u64>(name);
    return counter == nullptr ? std::nullopt : std::optional(*counter);
  });
}

}  // namespace wick
