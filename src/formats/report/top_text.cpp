#include "formats/report/top_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "formats/escape.h"
#include "views/amounts.h"
#include "views/names.h"

namespace wick {
namespace {

std::string_view head_of(GroupBy by) {
  switch (by) {
    case GroupBy::function:
      return "FUNCTION";
    case GroupBy::line:
      return "FUNCTION AND LINE";
    case GroupBy::dso:
      return "FILE";
    case GroupBy::comm:
      return "COMMAND";
    case GroupBy::pid:
      return "     PID  COMMAND";
    case GroupBy::tid:
      return "     PID      TID  COMMAND";
  }
  return "";
}

std::string plain_table(const Top& top) {
  const AmountFormat format{top.value_type};
  const bool frames = is_of_frames(top.by);
  std::string out;
  if (frames)
    out = fmt::format("{:>12} {:>6} {:>12} {:>6}  {}\n", fmt::format("SELF{}", format.unit),
                      "SELF%", fmt::format("TOTAL{}", format.unit), "TOTAL%", head_of(top.by));
  else
    out = fmt::format("{:>12} {:>6}  {}\n", fmt::format("TOTAL{}", format.unit), "TOTAL%",
                      head_of(top.by));
  for (const TopRow& row : top.rows) {
    if (frames)
      out += fmt::format("{:>12} {:>6.2f} ", format.text(row.now.self),
                         percent(row.now.self, top.total));
    out += fmt::format("{:>12} {:>6.2f}  {}\n", format.text(row.now.total),
                       percent(row.now.total, top.total), row.name);
  }
  return out;
}

std::string change_table(const Top& top) {
  const AmountFormat format{top.value_type};
  const bool frames = is_of_frames(top.by);
  const auto columns = [&](i64 before, i64 after) {
    return fmt::format("{:>12} {:>12} {:>12} {:>8}  ", format.text(before), format.text(after),
                       format.change(after - before), change_text(before, after));
  };
  const auto heads = [&](std::string_view what) {
    return fmt::format("{:>12} {:>12} {:>12} {:>8}  ", what, "after", "change", "");
  };
  std::string out = (frames ? heads("SELF before") : "") + heads("TOTAL before") +
                    std::string(head_of(top.by)) + "\n";
  for (const TopRow& row : top.rows)
    out += (frames ? columns(row.before.self, row.now.self) : "") +
           columns(row.before.total, row.now.total) + row.name + "\n";
  return out;
}

}  // namespace

std::string top_table(const Top& top) {
  return top.differential ? change_table(top) : plain_table(top);
}

std::string top_json(const Top& top) {
  std::string out;
  for (const TopRow& row : top.rows) {
    out += "{\"name\":";
    append_json(out, trim(row.name));
    out += fmt::format(",\"kind\":\"{}\",\"self\":{},\"total\":{}", kind_name(row.kind),
                       row.now.self, row.now.total);
    if (top.differential)
      out +=
          fmt::format(",\"self_before\":{},\"total_before\":{}", row.before.self, row.before.total);
    out += ",\"type\":";
    append_json(out, top.value_type.type);
    out += ",\"unit\":";
    append_json(out, top.value_type.unit);
    out += "}\n";
  }
  return out;
}

}  // namespace wick
