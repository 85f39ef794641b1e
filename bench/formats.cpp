// wick convert against FlameGraph's scripts, in turns: bench_formats WICK MAKE_STACKS [ROUNDS]
// [full]
//
// folded -> svg against flamegraph.pl, `perf script` text -> folded against stackcollapse-perf.pl,
// on make_stacks' profiles (5,000 functions, depth 31). The scripts are looked for in $FLAMEGRAPH,
// in $PATH, and where Debian's libdevel-nytprof-perl keeps a copy; where one is not to be had, or
// would take minutes (a million stacks; "full" runs it all the same), the figures that were
// measured on this kind of machine stand in for it, and the line says so.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "bench/measure.h"

namespace wick::bench {
namespace {

constexpr double kMostCpu = 1.0 / 25;
constexpr std::string_view kNytprof = "/usr/share/perl5/Devel/NYTProf";

struct Size {
  u64 stacks;
  std::string_view name;
  Cost flamegraph;  // flamegraph.pl and stackcollapse-perf.pl, measured before
  Cost stackcollapse;
  bool slow;  // minutes and gigabytes for the scripts
};
constexpr std::array kSizes{
    Size{10'000, "10 k", {2.1, 134}, {1.0, 17}, false},
    Size{100'000, "100 k", {17.5, 1060}, {8.8, 109}, false},
    Size{1'000'000, "1 M", {241, 10'300}, {144, 1000}, true},
};

std::optional<std::string> find_script(const std::string& name) {
  std::vector<std::string> folders;
  if (const char* folder = std::getenv("FLAMEGRAPH")) folders.emplace_back(folder);
  if (const char* path = std::getenv("PATH"))
    for (const std::string_view folder : split(path, ':')) folders.emplace_back(folder);
  folders.emplace_back(kNytprof);
  for (const std::string& folder : folders)
    if (::access((folder + "/" + name).c_str(), R_OK) == 0) return folder + "/" + name;
  return std::nullopt;
}

struct Task {
  std::string_view title;
  std::string_view input;   // make_stacks' word
  std::string_view output;  // the extension
  std::string script;
  Cost Size::* known;
  double most_memory;
};
const std::array kTasks{
    Task{"folded -> svg", "folded", ".svg", "flamegraph.pl", &Size::flamegraph, 1.0 / 5},
    Task{"perf text -> folded", "perf", ".folded", "stackcollapse-perf.pl", &Size::stackcollapse,
         1},
};

// Figures of before came from an idle machine: only the least of ours compares with them.
std::vector<double> ratios(const Series& ours, const Series& theirs, bool in_turns) {
  if (!in_turns) return {std::ranges::min(ours.values) / theirs.values[0]};
  std::vector<double> out;
  for (std::size_t i = 0; i < ours.values.size(); i++)
    out.push_back(ours.values[i] / theirs.values[i]);
  return out;
}

struct Compared {
  Series ours;
  Series theirs;
  bool in_turns;
};

void report(std::string_view what, std::string_view unit, int digits, const Compared& costs,
            std::string_view peer, double bound) {
  const Series ratio{ratios(costs.ours, costs.theirs, costs.in_turns)};
  fmt::print("  {:<10} wick {:<22} {} {:<22} ratio {} (wanted ≤ {:.2f}) {}\n",
             fmt::format("{}, {}", what, unit), costs.ours.text(digits), peer,
             costs.theirs.text(digits), ratio.text(4), bound,
             ratio.median() <= bound ? "ok" : "MISSED");
}

struct Setup {
  std::string wick;
  std::string make_stacks;
  std::size_t rounds;
  bool full;
  std::string folder;
};

void measure(const Task& task, const Size& size, const Setup& setup) {
  const std::string input = setup.folder + "/in." + std::string(task.input);
  const std::string output = setup.folder + "/out" + std::string(task.output);
  run({setup.make_stacks, std::string(task.input), std::to_string(size.stacks)}, input);
  const auto script = size.slow && !setup.full ? std::nullopt : find_script(task.script);
  const std::size_t rounds = size.slow ? 1 : setup.rounds;
  Compared cpu{.in_turns = script.has_value()};
  Compared memory{.in_turns = script.has_value()};
  for (std::size_t i = 0; i < rounds; i++) {
    const Cost ours = run({setup.wick, "convert", input, "-o", output}, "/dev/null");
    cpu.ours.values.push_back(ours.cpu_s);
    memory.ours.values.push_back(ours.peak_mb);
    if (!script && i > 0) continue;
    const Cost theirs = script ? run({"perl", *script, input}, output + ".perl") : size.*task.known;
    cpu.theirs.values.push_back(theirs.cpu_s);
    memory.theirs.values.push_back(theirs.peak_mb);
  }
  fmt::print("{}, {} stacks{}\n", task.title, size.name,
             script ? "" : fmt::format(" — {} not run: its figures are FIELD.md's", task.script));
  report("CPU", "s", 3, cpu, task.script, kMostCpu);
  report("memory", "MB", 0, memory, task.script, task.most_memory);
}

int bench(Setup setup) {
  std::string folder = std::filesystem::temp_directory_path() / "wick-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  setup.folder = folder;
  fmt::print("formats: {} rounds in turns, median (least–most)\n", setup.rounds);
  for (const Task& task : kTasks)
    for (const Size& size : kSizes)
      if (is_smoke_test() ? &size == kSizes.begin()
                          : !size.slow || task.input == "folded" || setup.full)
        measure(task, size, setup);
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace wick::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print("usage: bench_formats WICK MAKE_STACKS [ROUNDS] [full]\n");
    return 2;
  }
  const auto rounds = argc > 3 ? wick::parse_number<std::size_t>(argv[3]).value_or(0) : 3;
  return wick::bench::bench({.wick = argv[1],
                             .make_stacks = argv[2],
                             .rounds = std::max<std::size_t>(rounds, 1),
                             .full = argc > 4 && std::strcmp(argv[4], "full") == 0});
}
