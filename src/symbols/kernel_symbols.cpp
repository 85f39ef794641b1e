#include "symbols/kernel_symbols.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/fd.h"

namespace wick {
namespace {

constexpr std::size_t kMaxLine = 4096;
constexpr std::size_t kReadSize = 64U << 10;
// kallsyms has no sizes: an address this far behind the last symbol belongs to something unlisted.
constexpr u64 kMaxFunctionSize = u64{1} << 20;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Takes "ffffffff81000000 " off the front.
bool take_address(std::string_view& rest, u64& address) {
  constexpr std::size_t kMaxDigits = 16;
  address = 0;
  std::size_t digits = 0;
  for (; digits < rest.size(); ++digits) {
    const int digit = hex_digit(rest[digits]);
    if (digit < 0) break;
    if (digits == kMaxDigits) return false;
    address = address << 4 | static_cast<u64>(digit);
  }
  if (digits == 0 || digits == rest.size() || rest[digits] != ' ') return false;
  rest.remove_prefix(digits + 1);
  return true;
}

// Functions before weak ones before data.
int type_rank(char type) {
  if (type == 'T' || type == 't') return 0;
  return type == 'W' || type == 'w' ? 1 : 2;
}

std::size_t underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

}  // namespace

KallsymsMatcher::KallsymsMatcher(std::span<const u64> wanted)
    : wanted_(wanted), candidates_(wanted.size()) {}

void KallsymsMatcher::feed(std::string_view chunk) {
  while (!chunk.empty()) {
    const std::size_t end = chunk.find('\n');
    const std::string_view piece = chunk.substr(0, end);
    const bool complete = end != std::string_view::npos;
    chunk.remove_prefix(complete ? end + 1 : chunk.size());
    if (!skipping_ && partial_.size() + piece.size() > kMaxLine) {
      skipping_ = true;
      partial_.clear();
    }
    if (!complete) {
      if (!skipping_) partial_ += piece;
    } else if (skipping_) {
      skipping_ = false;
    } else if (partial_.empty()) {
      line(piece);
    } else {
      partial_ += piece;
      line(partial_);
      partial_.clear();
    }
  }
}

void KallsymsMatcher::line(std::string_view text) {
  u64 start = 0;
  if (!take_address(text, start) || text.size() < 3 || text[1] != ' ') return;
  ++lines_;
  if (start == 0) return;
  any_address_ = true;
  const auto after = std::ranges::lower_bound(wanted_, start);
  if (after == wanted_.end()) return;
  Candidate& slot = candidates_[static_cast<std::size_t>(after - wanted_.begin())];
  if (slot.type != 0 && start < slot.start) return;
  const char type = text[0];
  text.remove_prefix(2);
  const std::size_t name_end = text.find_first_of("\t ");
  std::string_view module;
  if (name_end != std::string_view::npos) {
    module = text.substr(name_end + 1);
    if (module.starts_with('[') && module.ends_with(']'))
      module = module.substr(1, module.size() - 2);
    else
      module = {};
  }
  offer(slot, start, type, text.substr(0, name_end), module);
}

void KallsymsMatcher::offer(Candidate& slot, u64 start, char type, std::string_view name,
                            std::string_view module) {
  if (name.empty()) return;
  if (slot.type != 0 && start == slot.start) {
    const int mine = type_rank(type);
    const int theirs = type_rank(slot.type);
    if (mine > theirs) return;
    if (mine == theirs && underscores(name) >= underscores(slot.name)) return;
  }
  slot.start = start;
  slot.type = type;
  slot.name = name;
  slot.module = module;
}

KernelSymbols KallsymsMatcher::finish() {
  if (!partial_.empty() && !skipping_) line(partial_);
  partial_.clear();
  KernelSymbols out;
  out.lines = lines_;
  out.hidden = lines_ != 0 && !any_address_;
  out.symbols.resize(wanted_.size());
  const Candidate* last = nullptr;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (candidates_[i].type != 0) last = &candidates_[i];
    if (last == nullptr || wanted_[i] - last->start >= kMaxFunctionSize) continue;
    out.symbols[i] = {last->name, last->module, wanted_[i] - last->start};
  }
  return out;
}

Result<KernelSymbols> resolve_kernel_symbols(std::span<const u64> wanted, const std::string& path) {
  const Fd fd = TRY(Fd::open(path));
  KallsymsMatcher matcher{wanted};
  const auto buffer = std::make_unique_for_overwrite<char[]>(kReadSize);
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer.get(), kReadSize);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read " + path);
    if (got == 0) break;
    matcher.feed({buffer.get(), static_cast<std::size_t>(got)});
  }
  return matcher.finish();
}

}  // namespace wick
