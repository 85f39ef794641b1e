// A flame graph in one SVG file: a static picture, which any viewer shows, and the nodes as data,
// from which the script draws again on zoom, search and resize.
//
// Rectangles are thick lines, one path a colour: 12 bytes each, where an element of its own takes
// 200.
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <map>

#include "base/clock.h"
#include "base/text.h"
#include "formats/flame_layout.h"
#include "formats/names.h"
#include "formats/svg_assets.h"
#include "formats/writers.h"

namespace wick {
namespace {

constexpr int kWidth = 1200;
constexpr int kPad = 10;
constexpr int kRow = 16;
constexpr int kTop = 62;
constexpr int kBottom = 70;
constexpr double kMinPixels = 0.1;
constexpr double kGlyphPixels = 7.3;  // of 12 px monospace
constexpr double kTextFromPixels = 28;
constexpr double kStaticPixels = 0.3;  // the script draws what is narrower when it is zoomed in

// Hue, step of hue from shade to shade, saturation, lightness: the kinds tell apart at a glance,
// the shades neighbours. A name has the same shade in every graph.
struct Palette {
  char code;
  int hue;
  int step;
  int saturation;
  int lightness;
};
constexpr int kShades = 8;
constexpr std::array kPalettes{
    Palette{'a', 8, 6, 90, 66},    // user
    Palette{'b', 202, 3, 68, 71},  // kernel
    Palette{'c', 84, 6, 52, 62},   // jit
    Palette{'d', 164, 4, 42, 66},  // inlined
    Palette{'e', 40, 0, 8, 76},    // note
    Palette{'f', 262, 5, 48, 76},  // waker
};

u32 shade_of(std::string_view name) {
  u32 hash = 2166136261;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return (hash ^ (hash >> 15)) % kShades;
}

std::string colour_of(const StackName& name) {
  if (is_separator(name.text)) return "s0";
  return {kPalettes[static_cast<std::size_t>(name.kind)].code,
          static_cast<char>('0' + shade_of(name.text))};
}

std::string palette_css() {
  std::string out =
      "#frames .r{stroke:#ddd6cc}#frames .c{stroke:#cfc3b2}#frames .s0{stroke:#aaa}\n";
  for (const Palette& p : kPalettes)
    for (int shade = 0; shade < kShades; shade++)
      out += fmt::format("#frames .{}{}{{stroke:hsl({},{}%,{}%)}}", p.code, shade,
                         p.hue + p.step * shade, p.saturation - 3 * (shade % 3),
                         p.lightness + 3 * (shade % 3) - 3);
  return out += '\n';
}

std::string base36(u64 value) {
  if (value == 0) return {};  // the script reads nothing as 0
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 36).ptr;
  return {digits.data(), end};
}

std::string date_text(u64 unix_ns) {
  const auto seconds = static_cast<time_t>(unix_ns / kNanosPerSecond);
  std::tm parts{};
  std::array<char, 40> out{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return {};
  return {out.data(), std::strftime(out.data(), out.size(), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

class SvgWriter {
 public:
  SvgWriter(const Profile& profile, const WriteOptions& options, Sink& sink)
      : profile_(profile),
        options_(options),
        stacks_(merge_stacks(profile, {.delimited = options.delimited,
                                       .mark_kinds = false,
                                       .thread_labels = options.per_thread,
                                       .value_index = *options.value_index})),
        layout_(lay_out_flame(stacks_, {.min_share = kMinPixels / kWidth})),
        out_(sink) {}

  Status run() {
    rows_ = static_cast<int>(layout_.max_depth) + 1;
    height_ = kTop + rows_ * kRow + kBottom;
    write_head();
    write_frames();
    write_foot();
    write_script();
    out_ << "</svg>\n";
    return out_.finish();
  }

 private:
  [[nodiscard]] static std::string xml(std::string_view text) {
    std::string out;
    append_xml(out, text);
    return out;
  }

  [[nodiscard]] std::string title() const {
    if (!options_.title.empty()) return options_.title;
    return profile_.info.title.empty() ? "Flame graph" : profile_.info.title + " flame graph";
  }

  [[nodiscard]] std::string subtitle() const {
    const ProfileInfo& info = profile_.info;
    std::string out;
    const auto add = [&](const std::string& text) {
      if (text.empty()) return;
      out.append(out.empty() ? "" : " · ").append(text);
    };
    add(info.command);
    add(info.host);
    if (info.start_unix_ns != 0) add(date_text(info.start_unix_ns));
    if (info.duration_ns != 0)
      add(fmt::format("{:.1f} s", static_cast<double>(info.duration_ns) / kNanosPerSecond));
    return out;
  }

  // What the value counts, for people: "samples", "nanoseconds".
  [[nodiscard]] std::string unit() const {
    const ValueType& type = profile_.value_types()[*options_.value_index];
    return type.unit == "count" ? type.type : type.unit;
  }

  void write_head() {
    out_ << fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" aria-label="{2}">)",
        kWidth, height_, xml(title()));
    out_ << "\n<style>" << svg_style() << palette_css() << "</style>\n";
    out_ << fmt::format(R"(<rect id="bg" width="{}" height="{}"/>)", kWidth, height_) << '\n';
    out_ << fmt::format(R"(<text id="title" class="title" x="{}" y="24">{}</text>)", kPad,
                        xml(title()))
         << '\n';
    out_ << fmt::format(R"(<text id="subtitle" class="sub" x="{}" y="46">{}</text>)", kPad,
                        xml(subtitle()))
         << '\n';
    out_
        << R"(<text id="matched" class="foot" data-right="270" y="24" text-anchor="end" role="status"/>)"
           R"(<text id="reset" class="ui" data-right="190" y="24" text-anchor="end" role="button" tabindex="0" style="display:none">Reset zoom</text>)"
        << '\n';
  }

  [[nodiscard]] int y_of(const FlameNode& node) const {
    const int depth = static_cast<int>(node.depth);
    return kTop + kRow * (options_.inverted ? depth : rows_ - 1 - depth);
  }

  void write_frames() {
    const i64 total = layout_.nodes[0].total;
    const double scale =
        total > 0 ? (kWidth - 2.0 * kPad) / static_cast<double>(total) : kWidth - 2.0 * kPad;
    std::map<std::string, std::string> lines;  // colour -> path, x in tenths of a pixel
    std::string texts;
    for (const FlameNode& node : layout_.nodes) {
      const double x = kPad + static_cast<double>(node.start) * scale;
      const double width = total > 0 ? static_cast<double>(node.total) * scale : scale;
      if (width < kStaticPixels) continue;
      lines[look_of(node)] +=
          fmt::format("M{} {}h{}", static_cast<int>(x * 10), y_of(node) + 8,
                      std::max(1, static_cast<int>(width * 10) - (width > 3 ? 8 : 0)));
      if (width >= kTextFromPixels) append_label(texts, node, x, width);
    }
    out_ << R"x(<g id="frames"><g transform="translate(0,-.5) scale(.1,1)">)x" << '\n';
    for (const auto& [look, path] : lines)
      out_ << R"(<path class=")" << look << R"(" d=")" << path << "\"/>\n";
    out_ << "</g>" << texts << "</g>\n";
    out_ << fmt::format(R"(<rect id="mark" height="{}" style="display:none"/>)", kRow - 1) << '\n';
  }

  [[nodiscard]] std::string look_of(const FlameNode& node) const {
    if (node.depth == 0) return "r";
    return node.depth == 1 ? "c" : colour_of(stacks_.names[node.name]);
  }

  void append_label(std::string& out, const FlameNode& node, double x, double width) const {
    const std::string_view name =
        node.depth == 0 ? std::string_view{"all"} : stacks_.text(node.name);
    const auto room = static_cast<std::size_t>((width - 7) / kGlyphPixels);
    std::string_view shown = first_characters(name, room);
    const bool cut = shown.size() < name.size();
    if (cut) shown = first_characters(name, room - 1);
    out += fmt::format(R"(<text x="{:.1f}" y="{:.1f}">{}{}</text>)", x + 3, y_of(node) + 11.5,
                       xml(shown), cut ? "…" : "");
  }

  void write_foot() {
    const int y = kTop + rows_ * kRow + 18;
    const std::string rest =
        fmt::format("{} {}", with_commas(static_cast<u64>(layout_.nodes[0].total)), xml(unit()));
    out_ << fmt::format(
        R"(<text id="details" class="foot" x="{}" y="{}" aria-live="polite">{}</text>)", kPad, y,
        rest);
    std::string remarks;
    if (layout_.dropped > 0)
      remarks = fmt::format("{} narrower than {} px not drawn", counted(layout_.dropped, "frame"),
                            kMinPixels);
    out_ << fmt::format(R"(<text class="foot" x="{}" y="{}">{})", kPad, y + 18, remarks);
    if (const std::string lost = losses_text(profile_.info); !lost.empty())
      out_ << fmt::format(R"(<tspan class="warn">{}Lost or not whole: {}</tspan>)",
                          remarks.empty() ? "" : " · ", xml(lost));
    out_ << "</text>\n";
    write_legend(y + 38);
    out_ << R"(<g id="tip" style="display:none"/>)" << '\n';
  }

  // Only the kinds that are there.
  void write_legend(int y) {
    std::array<bool, kPalettes.size()> present{};
    for (const FlameNode& node : layout_.nodes)
      if (node.depth > 1) present[static_cast<std::size_t>(stacks_.names[node.name].kind)] = true;
    int x = kPad;
    for (std::size_t kind = 0; kind < kPalettes.size(); kind++) {
      if (!present[kind]) continue;
      const Palette& p = kPalettes[kind];
      const std::string_view label = kind_name(static_cast<FrameKind>(kind));
      out_ << fmt::format(
          R"x(<rect x="{}" y="{}" width="10" height="10" fill="hsl({},{}%,{}%)"/>)x", x, y - 9,
          p.hue + 3 * p.step, p.saturation, p.lightness);
      out_ << fmt::format(R"(<text class="foot" x="{}" y="{}">{}</text>)", x + 14, y, label);
      x += static_cast<int>(label.size()) * 7 + 34;
    }
    out_ << '\n';
  }

  void write_script() {
    out_ << "<script><![CDATA[\nconst flame={rows:" << rows_
         << ",inverted:" << (options_.inverted ? "true" : "false") << ",unit:";
    std::string text;
    append_json(text, unit());
    out_ << text << R"(,kinds:["user","kernel","jit","inlined","note","waker"],)" << "\nnodes:\"";
    std::vector<u32> shown;  // names in use, by first use: the wide ones get short numbers
    write_nodes(shown);
    out_ << "\",\ncolours:\"";
    for (const u32 name : shown) out_ << colour_of(stacks_.names[name]);
    out_ << "\",\nnames:[";
    std::string_view comma;
    for (const u32 name : shown) {
      text.clear();
      append_json(text, stacks_.text(name));
      out_ << comma << text;
      comma = ",\n";
    }
    out_ << "]};" << svg_script() << "]]></script>\n";
  }

  void write_nodes(std::vector<u32>& shown) {
    constexpr u32 kNew = ~u32{0};
    std::vector<u32> numbers(stacks_.names.size(), kNew);
    std::vector<i64> next(static_cast<std::size_t>(rows_) +
                          1);  // where a level's next child begins
    u32 depth = 0;
    for (const FlameNode& node : layout_.nodes) {
      if (node.depth == 0) {
        out_ << ",," << base36(static_cast<u64>(node.total)) << ',';
        continue;
      }
      u32& number = numbers[node.name];
      if (number == kNew) {
        number = static_cast<u32>(shown.size());
        shown.push_back(node.name);
      }
      const u64 gap = static_cast<u64>(node.start - next[node.depth - 1]);
      out_ << ',' << base36(depth + 1 - node.depth) << ',' << base36(gap) << ','
           << base36(static_cast<u64>(node.total)) << ',' << base36(number);
      next[node.depth - 1] = node.start + node.total;
      next[node.depth] = node.start;
      depth = node.depth;
    }
  }

  const Profile& profile_;
  const WriteOptions& options_;
  MergedStacks stacks_;
  FlameLayout layout_;
  Writer out_;
  int rows_ = 0;
  int height_ = 0;
};

}  // namespace

Status write_svg(const Profile& profile, const WriteOptions& options, Sink& sink) {
  return SvgWriter{profile, options, sink}.run();
}

}  // namespace wick
