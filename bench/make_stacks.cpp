// Stacks by the million, for measuring readers and pictures; the same text each time:
//   make_stacks folded|perf|bpftrace STACKS [DEPTH] [FUNCTIONS]
// Random paths through a call tree where each function calls five others: 10,000 stacks of depth 31
// make about 260,000 nodes, 100,000 make 2.4 million. No two stacks of that depth are alike.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"

namespace wick {
namespace {

constexpr u32 kCallees = 5;
constexpr u32 kCallSites = 4;  // addresses a function is seen at
constexpr u64 kTextStart = 0x55d0'0000'0000;
constexpr u64 kFunctionBytes = 0x400;
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

struct Wanted {
  std::string_view format;
  std::size_t stacks = 0;
  std::size_t depth = 31;
  u32 functions = 5000;
};

constexpr std::array<std::string_view, 8> kWords{"read", "parse",   "walk",  "merge",
                                                 "emit", "resolve", "visit", "copy"};

class Generator {
 public:
  explicit Generator(const Wanted& wanted) : wanted_(wanted) {
    for (u32 i = 0; i < wanted.functions; i++)
      names_.push_back(fmt::format("ns{}::{}_{:04}", i % 7, kWords[i % kWords.size()], i));
  }

  void run() {
    if (wanted_.format == "bpftrace") out_ += "Attaching 1 probe...\n\n\n";
    for (std::size_t i = 0; i < wanted_.stacks; i++) {
      walk();
      if (wanted_.format == "folded")
        folded();
      else if (wanted_.format == "perf")
        perf(i);
      else
        bpftrace();
      if (out_.size() >= kFlushBytes) flush();
    }
    flush();
  }

 private:
  struct Step {
    u32 function;
    u32 site;
  };

  void walk() {
    path_.clear();
    u32 function = static_cast<u32>(random_() % kCallees) * 977 % wanted_.functions;
    for (std::size_t depth = 0; depth < wanted_.depth; depth++) {
      const u64 random = random_();
      path_.push_back({function, static_cast<u32>(random >> 32) % kCallSites});
      function =
          (function * 13 + static_cast<u32>(random % kCallees) * 977 + 1) % wanted_.functions;
    }
  }

  void folded() {
    out_ += "app";
    for (const Step& step : path_) (out_ += ';') += names_[step.function];
    out_ += fmt::format(" {}\n", random_() % 10 + 1);
  }

  void perf(std::size_t index) {
    const u64 micros = index * 101;
    out_ +=
        fmt::format("app {:>5}/{:<5} [{:03}] {:>5}.{:06}: {:>10} cpu-clock:pppH: \n", 4242,
                    4242 + index % 8, index % 2, 1000 + micros / 1'000'000, micros % 1'000'000, 1);
    for (std::size_t i = path_.size(); i-- > 0;) {
      const auto [function, site] = path_[i];
      const u64 offset = u64{site} * 0x24 + 0x11;
      out_ +=
          fmt::format("\t{:16x} {}+{:#x} (/usr/bin/app)\n",
                      kTextStart + function * kFunctionBytes + offset, names_[function], offset);
    }
    out_ += '\n';
  }

  void bpftrace() {
    out_ += "@[\n";
    for (std::size_t i = path_.size(); i-- > 0;)
      out_ += fmt::format("    {}+{}\n", names_[path_[i].function], path_[i].site * 36 + 17);
    out_ += fmt::format(", app]: {}\n", random_() % 10 + 1);
  }

  void flush() {
    if (std::fwrite(out_.data(), 1, out_.size(), stdout) != out_.size()) std::exit(1);
    out_.clear();
  }

  Wanted wanted_;
  std::vector<std::string> names_;
  std::mt19937_64 random_{1};  // NOLINT(cert-msc51-cpp): the same stacks each time
  std::vector<Step> path_;
  std::string out_;
};

int run(const std::vector<std::string_view>& words) {
  const auto number = [&](std::size_t at, std::size_t otherwise) {
    return words.size() > at ? parse_number<u32>(words[at]).value_or(0) : otherwise;
  };
  Wanted wanted;
  if (!words.empty()) wanted.format = words[0];
  wanted.stacks = number(1, 0);
  wanted.depth = number(2, wanted.depth);
  wanted.functions = static_cast<u32>(number(3, wanted.functions));
  const bool known =
      wanted.format == "folded" || wanted.format == "perf" || wanted.format == "bpftrace";
  if (!known || wanted.stacks == 0 || wanted.depth == 0 || wanted.functions == 0) {
    fmt::print(stderr, "usage: make_stacks folded|perf|bpftrace STACKS [DEPTH] [FUNCTIONS]\n");
    return 2;
  }
  Generator{wanted}.run();
  return 0;
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  return wick::run({argv + 1, argv + argc});
}
