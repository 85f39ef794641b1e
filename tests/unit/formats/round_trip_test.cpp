// Random profiles through two formats and back: every count, label and order the format can hold
// is the same afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "profile/sample_index.h"
#include "read_helpers.h"

namespace wick {
namespace {

constexpr int kRounds = 60;

class RandomProfiles {
 public:
  explicit RandomProfiles(unsigned seed) : random_(seed) {}

  u32 below(u32 limit) { return static_cast<u32>(random_() % limit); }
  template <std::size_t N>
  std::string_view one_of(const std::array<std::string_view, N>& words) {
    return words[below(N)];
  }

  // Names that formats stumble over.
  std::string_view name() {
    static constexpr std::array<std::string_view, 12> kNames{"main",
                                                             "read",
                                                             "operator new(unsigned long)",
                                                             "std::map<int, char>::find(int)",
                                                             "a b",
                                                             "<init>",
                                                             "f\"g\\h",
                                                             "Lfoo/Bar;::run",
                                                             "naïve",
                                                             "_[k]",
                                                             "x+0x10",
                                                             "日本"};
    return one_of(kNames);
  }
  std::string_view comm() {
    static constexpr std::array<std::string_view, 4> kComms{"sh", "V8 Worker", "java", "a;b"};
    return one_of(kComms);
  }
  FrameKind kind() { return static_cast<FrameKind>(below(6)); }

  Profile profile(bool with_labels) {
    Profile p;
    p.set_value_types({{"samples", "count"}, {"cpu", "nanoseconds"}, {"faults", "count"}});
    p.info.default_value = 1 + below(2);  // pprof has no word for "the first"
    p.info.command = "wick profile";
    p.info.losses = {{"ring buffer full", 1234}};
    const auto text = [&](std::string_view t) { return p.strings.intern(t); };
    SampleIndex index;
    std::vector<FrameId> stack;
    for (u32 i = below(40) + 1; i > 0; i--) {
      stack.clear();
      for (u32 depth = below(8); depth > 0; depth--) stack.push_back(frame(p));
      Sample sample{.stack = p.add_stack(stack),
                    .pid = below(3),
                    .tid = below(3),
                    .comm = text(comm()),
                    .labels = {}};
      if (with_labels && below(2) == 0) sample.labels.push_back({text("who"), text(name())});
      if (with_labels && below(2) == 0)
        sample.labels.push_back({text("size"), {}, below(99) - i64{50}, text("bytes")});
      const std::array<i64, 3> values{below(5), below(1000), i64{below(9)} << below(50)};
      index.add(p, std::move(sample), values);
    }
    return p;
  }

 private:
  FrameId frame(Profile& p) {
    Frame f;
    f.name = p.strings.intern(name());
    f.kind = kind();
    if (f.kind == FrameKind::kernel && below(2) == 0)
      f.mapping = p.add_mapping({.path = p.strings.intern("[kernel.kallsyms]")});
    if (f.kind == FrameKind::user && below(2) == 0)
      f.mapping = p.add_mapping({.path = p.strings.intern("/usr/bin/app"),
                                 .build_id = p.strings.intern("abcdef"),
                                 .start = 0x1000,
                                 .limit = 0x9000});
    if (below(3) == 0) {
      f.file = p.strings.intern("a.c");
      f.line = below(50) + 1;
    }
    f.address = f.mapping.index() != 0 ? 0x1000 + below(64) : 0;
    return p.add_frame(f);
  }

  std::mt19937 random_;
};

using Rows = std::map<std::string, std::vector<i64>>;

struct Keep {
  bool labels = true;
  bool label_order = true;
  bool addresses = true;
  bool file_line = true;
};

// A profile as rows that do not depend on ids: what stands in it, in one order.
Rows rows_of(const Profile& p, Keep keep) {
  Rows rows;
  for (std::size_t i = 0; i < p.samples().size(); i++) {
    const Sample& s = p.samples()[i];
    std::string key = keep.labels ? task_of(p, i, keep.label_order)
                                  : fmt::format("{} {}/{}", p.text(s.comm), s.pid, s.tid);
    for (const FrameId id : p.stack(s.stack)) {
      const Frame& f = p.frame(id);
      key += fmt::format("|{} {}", p.text(f.name), kind_name(f.kind));
      if (keep.file_line) key += fmt::format(" {}:{}", p.text(f.file), f.line);
      if (keep.addresses) key += fmt::format(" {:x} {}", f.address, f.named);
    }
    std::vector<i64>& values = rows[key];
    values.resize(p.value_types().size());
    for (std::size_t v = 0; v < values.size(); v++) values[v] += p.values(i)[v];
  }
  // A sample of nothing but zeros says nothing, and some formats do not write it.
  std::erase_if(rows, [](const auto& row) {
    return std::ranges::all_of(row.second, [](i64 v) { return v == 0; });
  });
  return rows;
}

// The first row that is not in both, or nothing.
std::string difference(const Rows& a, const Rows& b) {
  for (const auto* rows : {&a, &b})
    for (const auto& [key, values] : *rows) {
      const Rows& other = rows == &a ? b : a;
      const auto found = other.find(key);
      if (found == other.end())
        return (rows == &a ? "only in the first: " : "only in the second: ") + key;
      if (found->second != values) return "other values: " + key;
    }
  return {};
}

TEST(RoundTrip, PprofKeepsEverything) {
  for (unsigned seed = 0; seed < kRounds; seed++) {
    const Profile p = RandomProfiles{seed}.profile(true);
    const Profile back = read_as(InputKind::pprof, write(p, Format::pprof));
    EXPECT_EQ(difference(rows_of(back, {}), rows_of(p, {})), "") << seed;
    EXPECT_EQ(types_of(back), types_of(p));
    EXPECT_EQ(back.info.default_value, p.info.default_value);
    EXPECT_EQ(back.info.command, p.info.command);
    EXPECT_EQ(losses_of(back), losses_of(p));
    // And what was read is written as the same bytes from then on.
    const std::string once = write(back, Format::pprof_raw);
    EXPECT_TRUE(write(read_as(InputKind::pprof, once), Format::pprof_raw) == once) << seed;
  }
}

TEST(RoundTrip, JsonKeepsEverything) {
  for (unsigned seed = 0; seed < kRounds; seed++) {
    const Profile p = RandomProfiles{seed}.profile(true);
    const std::string once = write(p, Format::json);
    const Profile back = read_as(InputKind::wick_json, once);
    // Labels are an object there, which has no order.
    const Keep keep{.label_order = false};
    EXPECT_EQ(difference(rows_of(back, keep), rows_of(p, keep)), "") << seed;
    EXPECT_TRUE(write(back, Format::json) == once) << seed;
  }
}

TEST(RoundTrip, PprofToSpeedscopeToPprofKeepsEveryCount) {
  for (unsigned seed = 0; seed < kRounds; seed++) {
    const Profile first =
        read_as(InputKind::pprof, write(RandomProfiles{seed}.profile(false), Format::pprof));
    if (rows_of(first, {}).empty()) continue;
    const Profile middle = read_as(InputKind::speedscope, write(first, Format::speedscope));
    const Profile last = read_as(InputKind::pprof, write(middle, Format::pprof));
    // speedscope has one line for a function.
    const Keep keep{.addresses = false, .file_line = false};
    EXPECT_EQ(difference(rows_of(last, keep), rows_of(first, keep)), "") << seed;
    EXPECT_EQ(types_of(last), types_of(first)) << seed;
    EXPECT_EQ(last.info.default_value, first.info.default_value) << seed;
  }
}

TEST(RoundTrip, FoldedToPprofToFoldedIsTheSameText) {
  for (unsigned seed = 0; seed < kRounds; seed++) {
    const WriteOptions options{.annotate_kernel = true, .value_index = 1};
    const std::string text = write(RandomProfiles{seed}.profile(false), Format::folded, options);
    const Profile first = read_as(InputKind::folded, text);
    const Profile back = read_as(InputKind::pprof, write(first, Format::pprof));
    EXPECT_EQ(write(back, Format::folded, {.annotate_kernel = true}), text) << seed;
  }
}

// perf script's text for a random profile of one event.
std::string perf_text(RandomProfiles& random) {
  std::string text;
  for (u32 i = random.below(50) + 1; i > 0; i--) {
    const u32 pid = random.below(4) + 1;
    text += fmt::format("{} {}/{} [001] {}.{:06}: {} cycles:\n", random.comm(), pid,
                        pid + random.below(3), i, random.below(999'999), random.below(1000) + 1);
    for (u32 depth = random.below(6); depth > 0; depth--)
      text += fmt::format("\t{:16x} {}+0x1 ({})\n", random.below(16) + 0x1000, random.name(),
                          random.below(2) == 0 ? "[kernel.kallsyms]" : "/usr/bin/app");
    if (random.below(3) != 0) text += '\n';
  }
  return text;
}

TEST(RoundTrip, PerfScriptToPprofToFoldedKeepsEveryCount) {
  for (unsigned seed = 0; seed < kRounds; seed++) {
    RandomProfiles random{seed};
    const Profile first = read_as(InputKind::perf_script, perf_text(random));
    const Profile back = read_as(InputKind::pprof, write(first, Format::pprof));
    EXPECT_EQ(difference(rows_of(back, {}), rows_of(first, {})), "") << seed;
    for (const std::size_t column : {0U, 1U})
      EXPECT_EQ(folded_column(back, column), folded_column(first, column)) << seed;
    const std::string shown = write(back, Format::folded);
    EXPECT_EQ(read_as(InputKind::folded, shown).total(), first.total(1)) << seed;
  }
}

}  // namespace
}  // namespace wick
