#include "tool/table/live_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace wick {
namespace {

constexpr std::string_view kKeys =
    "q ends, r reverses, < and > sort by another column, space freezes and goes on";
constexpr std::string_view kFrozen = "frozen; space goes on";

// As much of the line as fits, without its newline; what only changes the looks takes no room.
std::string cut_line(std::string_view line, u32 columns) {
  std::string out;
  u32 used = 0;
  bool in_escape = false;
  for (const char c : line) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (c == '\n') break;
    if (c == '\033') in_escape = true;
    if (!in_escape && !continues) used++;
    if (in_escape || used <= columns) out += c;
    if (in_escape && c == 'm') in_escape = false;
  }
  return out;
}

}  // namespace

std::string screen_text(const std::vector<std::string>& lines, u32 columns, u32 rows) {
  // Home, and no wrapping: a character may be wider than we think.
  std::string out = "\033[?7l\033[H";
  // The last line of the screen is the cursor's.
  const std::size_t shown = std::min<std::size_t>(lines.size(), std::max(rows, 2U) - 1);
  for (std::size_t i = 0; i < shown; i++) out += cut_line(lines[i], columns) + "\033[K\n";
  return out + "\033[J\033[?7h";
}

LiveTable::LiveTable(Session& session, TableTool tool, TableOptions options, Waiter& waiter)
    : session_(session), tool_(std::move(tool)), options_(std::move(options)), waiter_(waiter) {
  session_.hear_keys();
  waiter.watch(session_.keys_fd());
}

LiveTable::~LiveTable() {
  session_.ignore_keys();
}

bool LiveTable::is_wanted(const Session& session, const TableTool& tool,
                          const TableOptions& options) {
  return tool.layout == TableLayout::live && !options.no_clear && !options.json && !options.csv &&
         session.rows() != 0;
}

Status LiveTable::show(std::vector<TableRow> rows) {
  // Whoever ends it wants to keep what he looks at, not the moment since.
  if (!time_.empty() && (frozen_ || waiter_.is_over())) return {};
  rows_ = std::move(rows);
  time_ = clock_text();
  return draw();
}

Status LiveTable::heed_keys() {
  bool changed = false;
  for (char key = session_.next_key(); key != 0; key = session_.next_key())
    changed = heed(key) || changed;
  return changed && !time_.empty() ? draw() : Status{};
}

bool LiveTable::heed(char key) {
  switch (key) {
    case 'q':
      session_.request_stop();
      return false;
    case 'r':
      tool_.ascending = !tool_.ascending;
      return true;
    case '<':
    case '>':
      sort_by_neighbour(key == '<' ? -1 : 1);
      return true;
    case ' ':
      frozen_ = !frozen_;
      return true;
    case '?':
      tells_keys_ = !tells_keys_;
      return true;
    default:
      return key == '\f';
  }
}

// From no column to the first of that side.
void LiveTable::sort_by_neighbour(int step) {
  const std::vector<std::string> names = of_shown(tool_.columns, &TableColumn::json_name);
  const auto count = std::ssize(names);
  if (count == 0) return;
  const bool by_none = static_cast<bool>(tool_.rank);
  const auto now = by_none ? count : std::ranges::find(names, tool_.sort) - names.begin();
  const auto next = now == count ? (step > 0 ? 0 : count - 1) : (now + step + count) % count;
  tool_.sort = names[static_cast<std::size_t>(next)];
  tool_.rank = {};
}

Status LiveTable::draw() {
  const u32 height = session_.rows();
  if (height == 0) return {};  // in the background now
  const std::string_view told = tells_keys_ ? kKeys : frozen_ ? kFrozen : std::string_view{};
  std::vector<std::string> lines{fmt::format("{} {}\n", time_, status_text(tool_)),
                                 fmt::format("{}\n", told)};
  const std::vector<TableRow> rows = top_rows(rows_, tool_, options_);
  const std::vector<std::string> block = block_lines(rows, tool_, true);
  // Upside down the largest are the last: on a small screen they stay.
  const std::size_t room = std::max(height, 4U) - 4;
  const std::size_t first = tool_.ascending && rows.size() > room ? rows.size() - room : 0;
  lines.push_back(block.front());
  lines.insert(lines.end(), block.begin() + 1 + static_cast<std::ptrdiff_t>(first), block.end());
  return session_.out().write(screen_text(lines, session_.columns(), height));
}

}  // namespace wick
