#include "worker/name_work.h"

#include <elf.h>

#include <array>
#include <numeric>

#include "arch/call_site.h"
#include "arch/machine.h"
#include "dwarf/source_lines.h"
#include "symbols/go_symbols.h"
#include "symbols/object_symbols.h"
#include "symbols/vdso.h"

namespace wick {
namespace {

Result<ObjectSymbols> open_names(Fd file, const NamesQuestion& question, const ProcessRoot& root,
                                 const BudgetTerms& terms) {
  if (!file.valid()) return vdso_symbols();
  return ObjectSymbols::from_fd(std::move(file), question.path, {.root = root, .terms = terms});
}

// Answers one question about one file.
class NameReader {
 public:
  NameReader(ObjectSymbols symbols, const NamesQuestion& question, ProcessRoot root)
      : symbols_(std::move(symbols)), question_(question), root_(std::move(root)) {}

  NamesAnswer run() {
    answer_.readable = true;
    answer_.build_id = symbols_.elf().build_id();
    answer_.places.resize(question_.places.size());
    vaddrs_.reserve(question_.places.size());
    for (const NamePlace& place : question_.places)
      vaddrs_.push_back(
          symbols_.file_offset_to_vaddr(place.file_offset).value_or(place.file_offset));
    find_broken();
    find_lines();
    Budget& budget = symbols_.elf().budget();
    if (question_.lines) {
      answer_.lines_spent = budget.report();
      budget.begin_again();
    }
    find_names();
    answer_.spent = budget.report();
    return std::move(answer_);
  }

 private:
  // Addresses no call returns to: the walk went astray there, and what is above is made up.
  void find_broken() {
    if (!has_known_code(symbols_.elf().machine())) return;
    std::array<std::byte, kLongestCall + kSignalReturnBytes> code;
    for (std::size_t i = 0; i < vaddrs_.size(); i++) {
      // Addresses here are one less than what is returned to.
      const u64 returns_to = question_.places[i].file_offset + 1;
      if (!question_.places[i].is_return || returns_to < kLongestCall) continue;
      const std::size_t got = symbols_.elf().bytes().read_some(returns_to - kLongestCall, code);
      if (got < kLongestCall) continue;
      const std::span read = std::span(code).first(got);
      if (ends_with_call(read.first(kLongestCall))) continue;
      if (is_signal_return(read.subspan(kLongestCall)))
        vaddrs_[i]++;  // it begins right there
      else
        answer_.places[i].is_broken = true;
    }
  }

  // DWARF's lines where they are asked for, those of Go always, since every Go program has them.
  void find_lines() {
    std::vector<u32> rest(vaddrs_.size());
    std::iota(rest.begin(), rest.end(), 0U);
    const GoSymbols* go = symbols_.go();
    if (go != nullptr) find_go_lines(*go, rest);
    if (!question_.lines) return;
    answer_.lines_found = rest.empty() || go != nullptr;
    if (rest.empty()) return;
    auto lines = SourceLines::open(symbols_.elf(), {.path = question_.path, .root = root_});
    if (!lines) return;
    answer_.lines_found = true;
    std::vector<u64> wanted;
    wanted.reserve(rest.size());
    for (const u32 i : rest) wanted.push_back(vaddrs_[i]);
    lines->resolve(wanted, [&](std::size_t i, std::span<const SourceFrame> frames) {
      if (frames.empty()) return;
      begin_inlined(rest[i]);
      for (const SourceFrame& frame : frames.first(frames.size() - 1))
        add_inlined(rest[i], frame.function, frame.file, frame.line);
      const SourceFrame& last = frames.back();
      answer_.places[rest[i]].spot = {
          .function = text(last.function), .file = text(last.file), .line = last.line};
    });
    answer_.lines_damaged = lines->damaged();
    answer_.missing_split_units = lines->missing_split_units();
  }

  // Takes those of Go out of `rest`.
  void find_go_lines(const GoSymbols& go, std::vector<u32>& rest) {
    std::vector<GoFrame> frames;
    std::erase_if(rest, [&](u32 i) {
      go.frames_at(vaddrs_[i], frames);
      if (frames.empty()) return false;
      for (GoFrame& frame : frames)
        if (!question_.lines) frame = {.name = std::move(frame.name), .file = {}};
      begin_inlined(i);
      for (std::size_t at = 0; at + 1 < frames.size(); at++)
        add_inlined(i, frames[at].name, frames[at].file, frames[at].line);
      answer_.places[i].spot = {
          .function = 0, .file = text(frames.back().file), .line = frames.back().line};
      return true;
    });
  }

  void find_names() {
    symbols_.resolve(vaddrs_, [&](std::size_t i, const Symbol& symbol) {
      answer_.places[i].vaddr = vaddrs_[i];
      answer_.places[i].name = text(symbol.name);
      answer_.places[i].function_start = symbol.function_start;
    });
  }

  void begin_inlined(u32 place) {
    answer_.places[place].first_inlined = static_cast<u32>(answer_.inlined.size());
  }
  void add_inlined(u32 place, std::string_view function, std::string_view file, u32 line) {
    if (function.empty()) return;
    answer_.inlined.push_back({.function = text(function), .file = text(file), .line = line});
    answer_.places[place].inlined_count++;
  }
  [[nodiscard]] u32 text(std::string_view text) { return answer_.texts.add(text); }

  ObjectSymbols symbols_;
  const NamesQuestion& question_;
  ProcessRoot root_;
  std::vector<u64> vaddrs_;
  NamesAnswer answer_;
};

}  // namespace

u32 AnswerTexts::add(std::string_view text) {
  text = text.substr(0, bytes_ > kRoomBytes ? kShortBytes : std::size_t{kLongestBytes});
  const auto [found, is_new] =
      numbers_.try_emplace(std::string(text), static_cast<u32>(texts_.size()));
  if (is_new) {
    texts_.push_back(found->first);
    bytes_ += text.size();
  }
  return found->second;
}

bool AnswerTexts::append(std::string_view text) {
  if (text.size() > kLongestBytes) return false;
  texts_.emplace_back(text);
  return true;
}

NamesAnswer read_names(Fd file, const NamesQuestion& question, WorkHost& host,
                       const BudgetTerms& terms) {
  // The worker has no /proc: what stands below the process's root is for the host to know.
  ProcessRoot root{std::string{"/"}};
  root.host = &host;
  auto symbols = open_names(std::move(file), question, root, terms);
  if (!symbols) return {};
  return NameReader{*std::move(symbols), question, std::move(root)}.run();
}

}  // namespace wick
