#include "tool/run/tool_losses.h"

#include <fmt/format.h>

#include "base/text.h"

namespace wick {

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

}  // namespace wick
