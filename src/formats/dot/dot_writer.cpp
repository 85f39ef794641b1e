// A call graph for Graphviz: `dot -Tsvg x.dot >x.svg`. A box is a function: its text is the larger
// the more it costs itself, its colour the stronger the more it costs in all. An arrow is a call,
// the thicker the heavier; dotted where functions between were left out. Of a differential
// profile, orange grew and blue shrank: colours that the colour-blind tell apart too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "formats/writers.h"
#include "views/amounts.h"
#include "views/call_graph.h"
#include "views/names.h"

namespace wick {
namespace {

constexpr std::size_t kLongestName = 120;
constexpr std::size_t kLineLength = 32;

using Colour = std::array<double, 3>;
constexpr Colour kPlain{246, 246, 242};
constexpr Colour kWarm{240, 130, 50};  // costs much; grew
constexpr Colour kCool{75, 145, 215};  // shrank
constexpr double kInkShade = 0.55;     // borders and arrows, darker than a box

std::string hex(const Colour& colour) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(std::lround(colour[i])); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(0), byte(1), byte(2));
}

Colour blend(const Colour& from, const Colour& to, double share) {
  Colour out{};
  for (std::size_t i = 0; i < out.size(); i++) out[i] = from[i] + (to[i] - from[i]) * share;
  return out;
}

double share_of(double part, double whole) {
  return whole <= 0 ? 0 : std::clamp(part / whole, 0.0, 1.0);
}

// For a quoted string of dot: a backslash and an ampersand would begin an escape.
std::string escaped(std::string_view clean) {
  std::string out;
  for (const char c : clean) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
    if (c == '&') out.append("amp;");
  }
  return out;
}

// Long C++ names break behind a "::".
std::string wrapped(std::string_view name) {
  const std::string_view kept = first_characters(name, kLongestName);
  std::string out;
  std::size_t line = 0;
  for (std::size_t i = 0; i < kept.size(); i++) {
    out.append(escaped(kept.substr(i, 1)));
    line++;
    if (line < kLineLength || i == 0 || kept.substr(i - 1, 2) != "::") continue;
    out.append("\\n");
    line = 0;
  }
  return kept.size() == name.size() ? out : out + "…";
}

class DotWriter {
 public:
  DotWriter(const Profile& profile, const WriteOptions& options, Sink& sink)
      : profile_(profile),
        options_(options),
        type_(profile.value_types()[*options.value_index]),
        amounts_(type_),
        graph_(build_call_graph(profile, {.value_index = *options.value_index})),
        out_(sink) {
    for (const CallGraphNode& node : graph_.nodes)
      most_self_ = std::max(most_self_, node.self.size());
  }

  Status run() {
    out_ << "digraph \"" << title() << "\" {\n"
         << "node [style=filled, shape=box, fontname=\"Helvetica,Arial,sans-serif\"];\n"
         << "edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=10];\n";
    write_legend();
    for (std::size_t i = 0; i < graph_.nodes.size(); i++) write_node(i);
    for (const CallGraphEdge& edge : graph_.edges) write_edge(edge);
    out_ << "}\n";
    return out_.finish();
  }

 private:
  [[nodiscard]] bool differential() const { return profile_.info.differential; }

  [[nodiscard]] std::string title() const {
    const std::string& text = options_.title.empty() ? profile_.info.title : options_.title;
    return escaped(text.empty() ? "wick" : printable(text));
  }

  [[nodiscard]] std::string number(i64 value) const {
    return amounts_.text(value).append(amounts_.unit);
  }

  // "12 ms", or "12 ms → 20 ms".
  [[nodiscard]] std::string text(const GraphAmount& amount) const {
    if (!differential()) return number(amount.now);
    return fmt::format("{} → {}", number(amount.before), number(amount.now));
  }

  // "12.3%", or how it changed.
  [[nodiscard]] std::string note(const GraphAmount& amount) const {
    if (differential()) return change_text(amount.before, amount.now);
    const double whole = static_cast<double>(graph_.total.now);
    return fmt::format("{:.2f}%", whole == 0 ? 0 : 100 * static_cast<double>(amount.now) / whole);
  }

  [[nodiscard]] Colour colour(const GraphAmount& amount) const {
    const double whole = graph_.total.size();
    if (!differential()) return blend(kPlain, kWarm, std::sqrt(share_of(amount.size(), whole)));
    const double change = static_cast<double>(amount.now) - static_cast<double>(amount.before);
    const double strength = std::sqrt(share_of(std::abs(change), whole));
    return blend(kPlain, change < 0 ? kCool : kWarm, strength);
  }

  void write_legend() {
    std::string lines = title() + "\\l";
    lines += escaped(printable(fmt::format("{} in {}", type_.type, type_.unit))) + "\\l";
    lines += fmt::format("Total {}\\l", text(graph_.total));
    double self = 0;
    for (const CallGraphNode& node : graph_.nodes) self += node.self.size();
    const double whole = graph_.total.size();
    lines += fmt::format("{} with {:.1f}% of it\\l", counted(graph_.nodes.size(), "function"),
                         100 * share_of(self, whole));
    if (graph_.dropped_nodes + graph_.dropped_edges != 0)
      lines += fmt::format("Left out: {}, {}\\l", counted(graph_.dropped_nodes, "function"),
                           counted(graph_.dropped_edges, "call"));
    if (differential()) lines += "Orange grew, blue shrank\\l";
    if (const std::string lost = losses_text(profile_.info); !lost.empty())
      lines += "Lost or not whole: " + escaped(lost) + "\\l";
    out_ << "legend [shape=note, fillcolor=\"#ffffff\", fontsize=14, tooltip=\"" << title()
         << "\", label=\"" << lines << "\"];\n";
  }

  void write_node(std::size_t index) {
    const CallGraphNode& node = graph_.nodes[index];
    const double font = 9 + 17 * std::sqrt(share_of(node.self.size(), most_self_));
    const Colour fill = colour(node.total);
    std::string label = wrapped(node.name) + "\\n" + text(node.self) + " (" + note(node.self) + ")";
    if (node.self.now != node.total.now || node.self.before != node.total.before)
      label += "\\nof " + text(node.total) + " (" + note(node.total) + ")";
    out_ << fmt::format(
        "N{} [label=\"{}\", id=\"node{}\", fontsize={:.1f}, tooltip=\"{}: {} ({})\", "
        "color=\"{}\", fillcolor=\"{}\"];\n",
        index, label, index, font, escaped(node.name), text(node.total), note(node.total),
        hex(ink(fill)), hex(fill));
  }

  void write_edge(const CallGraphEdge& edge) {
    const double share = share_of(edge.amount.size(), graph_.total.size());
    const std::string tip = fmt::format("{} → {} ({})", escaped(graph_.nodes[edge.from].name),
                                        escaped(graph_.nodes[edge.to].name), text(edge.amount));
    out_ << fmt::format(
        "N{} -> N{} [label=\" {}\", weight={}, penwidth={:.2f}, color=\"{}\", tooltip=\"{}\", "
        "labeltooltip=\"{}\"{}];\n",
        edge.from, edge.to, text(edge.amount), 1 + std::lround(99 * share), 1 + 5 * share,
        hex(ink(colour(edge.amount))), tip, tip, edge.skips ? ", style=dotted" : "");
  }

  static Colour ink(const Colour& fill) { return blend({0, 0, 0}, fill, kInkShade); }

  const Profile& profile_;
  const WriteOptions& options_;
  const ValueType& type_;
  AmountFormat amounts_;
  CallGraph graph_;
  double most_self_ = 0;
  Writer out_;
};

}  // namespace

Status write_dot(const Profile& profile, const WriteOptions& options, Sink& sink) {
  return DotWriter{profile, options, sink}.run();
}

}  // namespace wick
