// callgrind's text, for callgrind_annotate and KCachegrind. Each value type is an event, the one
// shown first. Names are written once and then by number.
//
//   events: samples cpu
//   ob=(1) /bin/sh
//   fl=(1) main.c
//   fn=(1) main
//   12 5 5000                   line 12 itself
//   cfn=(2) read
//   calls=3 0                   in three samples: how often it was called nobody counted
//   14 7 7000                   from line 14
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/text.h"
#include "formats/writers.h"
#include "views/call_costs.h"
#include "views/names.h"

namespace wick {
namespace {

// One word; letters and digits are sure to be taken by every reader.
std::string event_word(const ValueType& type) {
  std::string word;
  for (const char c : type.type) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    word.push_back(plain ? c : '_');
  }
  return word.empty() ? "value" : word;
}

class CallgrindWriter {
 public:
  CallgrindWriter(const Profile& profile, const WriteOptions& options, Sink& sink)
      : profile_(profile), options_(options), costs_(profile), out_(sink) {
    order_.resize(profile.value_types().size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto shown = order_.begin() + static_cast<std::ptrdiff_t>(*options.value_index);
    std::rotate(order_.begin(), shown, shown + 1);
  }

  Status run() {
    write_head();
    u32 current = 0;
    for (const CostEntry& entry : costs_.entries()) {
      if (out_.failed()) break;
      if (entry.function != current) write_function(current = entry.function);
      if (entry.callee != CallCosts::kSelf) write_callee(entry);
      out_ << entry.line;
      write_values(costs_.costs(entry));
    }
    out_ << "\ntotals:";
    write_values(costs_.totals());
    return out_.finish();
  }

 private:
  using Names = std::unordered_map<std::string, u32>;

  void write_head() {
    const ProfileInfo& info = profile_.info;
    out_ << "# callgrind format\nversion: 1\ncreator: wick\n";
    write_text("cmd", info.command);
    write_text("desc: Title", options_.title.empty() ? info.title : options_.title);
    write_text("desc: Host", info.host);
    write_text("desc: Lost or not whole", losses_text(info));
    out_ << "positions: line\n";
    std::vector<std::string> words;
    for (const std::size_t i : order_) {
      const ValueType& type = profile_.value_types()[i];
      std::string word = event_word(type);
      if (std::ranges::find(words, word) != words.end()) word = fmt::format("{}_{}", word, i);
      out_ << fmt::format("event: {} : {} in {}\n", word, printable(type.type),
                          printable(type.unit));
      words.push_back(std::move(word));
    }
    out_ << "events:";
    for (const std::string& word : words) out_ << ' ' << word;
    out_ << "\nsummary:";
    write_values(costs_.totals());
  }

  void write_text(std::string_view key, std::string_view text) {
    if (!text.empty()) out_ << key << ": " << printable(text) << '\n';
  }

  void write_values(std::span<const i64> values) {
    for (const std::size_t i : order_) out_ << ' ' << values[i];
    out_ << '\n';
  }

  void write_name(std::string_view key, const std::string& text, Names& names) {
    const auto [entry, is_new] = names.try_emplace(text, static_cast<u32>(names.size() + 1));
    out_ << key << "=(" << entry->second << ')';
    if (is_new) out_ << ' ' << text;
    out_ << '\n';
  }

  void write_function(u32 number) {
    const CostFunction& function = costs_.function(number);
    out_ << '\n';
    write_name("ob", function.object, objects_);
    write_name("fl", function.file, files_);
    write_name("fn", function.name, functions_);
  }

  void write_callee(const CostEntry& entry) {
    const CostFunction& callee = costs_.function(entry.callee);
    write_name("cob", callee.object, objects_);
    write_name("cfl", callee.file, files_);
    write_name("cfn", callee.name, functions_);
    out_ << "calls=" << costs_.samples(entry) << " 0\n";
  }

  const Profile& profile_;
  const WriteOptions& options_;
  CallCosts costs_;
  std::vector<std::size_t> order_;  // of the value types
  Names objects_;
  Names files_;
  Names functions_;
  Writer out_;
};

}  // namespace

Status write_callgrind(const Profile& profile, const WriteOptions& options, Sink& sink) {
  return CallgrindWriter{profile, options, sink}.run();
}

}  // namespace wick
