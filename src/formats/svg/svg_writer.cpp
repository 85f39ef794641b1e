// A flame graph in one SVG file: a static picture, which any viewer shows, and the nodes as data,
// from which the script draws again on zoom, search and resize.
//
// Rectangles are thick lines, one path a colour: 12 bytes each, where an element of its own takes
// 200.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "formats/svg/svg_assets.h"
#include "formats/svg/svg_colours.h"
#include "formats/svg/svg_data.h"
#include "formats/svg/svg_text.h"
#include "formats/writers.h"
#include "views/flame_layout.h"
#include "views/names.h"

namespace wick {
namespace {

constexpr double kStandardWidth = 1200;
constexpr int kPad = 10;
constexpr int kTop = 62;
constexpr int kBottom = 70;
constexpr double kGlyphShare = 0.61;    // of the font size, for monospace
constexpr double kTextFromShare = 2.4;  // of the font size: below it no letter fits
constexpr double kStaticPixels = 0.3;   // the script draws what is narrower when it is zoomed in
constexpr double kGap = 0.8;

double min_share(const FlameOptions& flame, double inner) {
  return flame.min_width_percent ? flame.min_width / 100 : flame.min_width / inner;
}

MergeOptions merge_options(const WriteOptions& options) {
  return {.delimited = options.delimited,
          .mark_kinds = false,
          .thread_labels = options.per_thread,
          .in_order = options.flame.chart,
          .negate = options.flame.negate,
          .value_index = *options.value_index};
}

// "12.3", from tenths: much quicker than a double, and there are two for each rectangle.
void append_tenths(std::string& out, i64 tenths) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), tenths / 10).ptr;
  out.append(digits.data(), end);
  if (tenths % 10 != 0) (out += '.') += static_cast<char>('0' + tenths % 10);
}

class SvgWriter {
 public:
  SvgWriter(const Profile& profile, const WriteOptions& options, Sink& sink)
      : profile_(profile),
        options_(options),
        flame_(options.flame),
        width_(flame_.width ? *flame_.width : kStandardWidth),
        inner_(std::max(width_ - 2.0 * kPad, 1.0)),
        stacks_(merge_stacks(profile, merge_options(options))),
        layout_(lay_out_flame(stacks_,
                              {.min_share = min_share(flame_, inner_), .total = flame_.total})),
        words_(profile, options, stacks_.differential),
        data_(stacks_, layout_, flame_),
        out_(sink) {}

  Status run() {
    rows_ = static_cast<int>(layout_.max_depth) + 1;
    height_ = kTop + rows_ * row() + kBottom;
    write_head();
    write_frames();
    write_foot();
    write_heading();
    out_ << R"(<g id="tip" style="display:none"/>)" << '\n';
    write_script();
    out_ << "</svg>\n";
    return out_.finish();
  }

 private:
  [[nodiscard]] int row() const { return static_cast<int>(flame_.frame_height); }

  void write_head() {
    const std::string title = xml_text(words_.title());
    out_ << fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" aria-label="{2}">)",
        width_, height_, title);
    if (!flame_.notes.empty()) out_ << "\n<desc>" << xml_text(flame_.notes) << "</desc>";
    out_ << "\n<style>" << svg_style() << (flame_.background ? "" : svg_dark_style()) << style()
         << "</style>\n";
    out_ << fmt::format(R"(<rect class="bg" width="{}" height="{}"/>)", width_, height_) << '\n';
  }

  // Behind the frames in the file: it stays in sight and in front of them when they are scrolled.
  void write_heading() {
    out_ << fmt::format(R"(<g id="head"><rect class="bg" width="{}" height="{}"/>)", width_,
                        kTop - 4);
    out_ << fmt::format(R"(<text id="title" class="title" x="{}" y="24">{}</text>)", kPad,
                        xml_text(words_.title()))
         << '\n';
    out_ << fmt::format(R"(<text id="subtitle" class="sub" x="{}" y="46">{}</text>)", kPad,
                        xml_text(words_.subtitle()))
         << '\n';
    out_
        << R"(<text id="matched" class="foot" data-right="10" y="48" text-anchor="end" role="status"/>)"
           R"(<text id="reset" class="ui" data-right="202" y="24" text-anchor="end" role="button" tabindex="0" style="display:none">Reset zoom</text></g>)"
        << '\n';
  }

  // What depends on options and profile. Behind the fixed style, so it wins.
  [[nodiscard]] std::string style() const {
    std::string out = fmt::format("svg{{font:{}px {}}}#frames path{{stroke-width:{}}}\n",
                                  flame_.font_size, font_family(flame_), row() - 1);
    if (flame_.background) {
      const std::string colour = css_colour(*flame_.background);
      out += fmt::format("svg{{background:{0}}}.bg{{fill:{0}}}\n", colour);
    }
    out += stacks_.differential ? change_css() : data_.css();
    return out + '\n';
  }

  [[nodiscard]] int y_of(const FlameNode& node) const {
    const int depth = static_cast<int>(node.depth);
    return kTop + row() * (options_.inverted ? depth : rows_ - 1 - depth);
  }

  void write_frames() {
    const i64 total = layout_.nodes[0].total;
    const double scale = total > 0 ? inner_ / static_cast<double>(total) : inner_;
    std::map<std::string, std::string> paths;  // by class
    std::string texts;
    for (std::size_t i = 0; i < layout_.nodes.size(); i++) {
      const FlameNode& node = layout_.nodes[i];
      const double x = kPad + static_cast<double>(node.start) * scale;
      const double width = total > 0 ? static_cast<double>(node.total) * scale : scale;
      if (width < kStaticPixels) continue;
      append_line(paths[data_.look_of(i)], node, x, width);
      if (width >= kTextFromShare * flame_.font_size) append_label(texts, i, x, width);
    }
    out_ << "<g id=\"frames\">\n";
    for (const auto& [look, path] : paths)
      out_ << R"(<path class=")" << look << R"(" d=")" << path << "\"/>\n";
    out_ << texts << "</g>\n";
    out_ << fmt::format(R"(<rect id="mark" height="{}" style="display:none"/>)", row() - 1) << '\n';
  }

  void append_line(std::string& path, const FlameNode& node, double x, double width) const {
    path += 'M';
    append_tenths(path, static_cast<i64>(x * 10));
    path += ' ';
    append_tenths(path, y_of(node) * 10 + (row() - 1) * 5);
    path += 'h';
    append_tenths(path, std::max<i64>(1, std::lround((width > 3 ? width - kGap : width) * 10)));
  }

  void append_label(std::string& out, std::size_t index, double x, double width) const {
    const std::string name = data_.label_of(index);
    const auto room = static_cast<std::size_t>((width - 7) / (kGlyphShare * flame_.font_size));
    std::string_view shown = first_columns(name, room);
    const bool cut = shown.size() < name.size();
    if (cut) shown = first_columns(name, room == 0 ? 0 : room - 1);
    const double y = y_of(layout_.nodes[index]) + row() / 2.0 + 0.3 * flame_.font_size;
    out += fmt::format(R"(<text x="{:.1f}" y="{:.1f}">{}{}</text>)", x + 3, y, xml_text(shown),
                       cut ? "…" : "");
  }

  void write_foot() {
    const int y = kTop + rows_ * row() + 18;
    out_ << fmt::format(
        R"(<text id="details" class="foot" x="{}" y="{}" aria-live="polite">{}</text>)", kPad, y,
        xml_text(words_.whole(layout_)));
    int legend_y = y + 22;
    const std::string remarks = words_.left_out(layout_.dropped);
    const std::string lost = losses_text(profile_.info);
    if (!remarks.empty() || !lost.empty()) {
      out_ << fmt::format(R"(<text class="foot" x="{}" y="{}">{})", kPad, y + 18, remarks);
      if (!lost.empty())
        out_ << fmt::format(R"(<tspan class="warn">{}Lost or not whole: {}</tspan>)",
                            remarks.empty() ? "" : " · ", xml_text(lost));
      out_ << "</text>\n";
      legend_y += 18;
    }
    if (stacks_.differential)
      write_change_legend(legend_y);
    else if (flame_.colours == FlameScheme::kind && flame_.palette == nullptr)
      write_kind_legend(legend_y);
  }

  // Only the kinds that are there; nothing where all is one.
  void write_kind_legend(int y) {
    const auto kinds = data_.kinds();
    if (kinds.size() < 2) return;
    int x = kPad;
    for (const FrameKind kind : kinds) write_swatch(x, y, kind_colour(kind), kind_name(kind));
    out_ << '\n';
  }

  void write_change_legend(int y) {
    int x = kPad;
    for (const ChangeSwatch& swatch : kChangeLegend)
      write_swatch(x, y, change_colour(swatch.level), swatch.label);
    out_ << '\n';
  }

  void write_swatch(int& x, int y, Rgb colour, std::string_view label) {
    out_ << fmt::format(R"(<rect x="{}" y="{}" width="10" height="10" fill="{}"/>)", x, y - 9,
                        css_colour(colour));
    x += label.empty() ? 11 : 15;
    if (label.empty()) return;
    out_ << fmt::format(R"(<text class="foot" x="{}" y="{}">{}</text>)", x, y, label);
    x += static_cast<int>(label.size()) * 7 + 16;
  }

  void write_script() {
    out_ << "<script><![CDATA[\nconst flame={rows:" << rows_ << ",row:" << row()
         << fmt::format(",font:{},width:{},factor:{}", flame_.font_size,
                        flame_.width ? fmt::format("{}", width_) : "0", words_.factor())
         << ",inverted:" << (options_.inverted ? "true" : "false")
         << ",unit:" << json_text(words_.unit()) << ",nameType:" << json_text(flame_.name_type);
    data_.write(out_);
    out_ << "};\n" << svg_script() << "]]></script>\n";
  }

  const Profile& profile_;
  const WriteOptions& options_;
  const FlameOptions& flame_;
  double width_;
  double inner_;
  MergedStacks stacks_;
  FlameLayout layout_;
  SvgWords words_;
  SvgData data_;
  Writer out_;
  int rows_ = 0;
  int height_ = 0;
};

}  // namespace

Status write_svg(const Profile& profile, const WriteOptions& options, Sink& sink) {
  TRY(check_flame_options(options.flame));
  return SvgWriter{profile, options, sink}.run();
}

}  // namespace wick
