#include "symbols/kallsyms.h"

#include <unistd.h>

#include <memory>

#include "base/fd.h"

namespace wick {
namespace {

constexpr std::size_t kMaxKallsymsLine = 4096;
constexpr std::size_t kReadSize = 64U << 10;

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

void take_line(std::string_view text, const KallsymsLines::Take& take) {
  KallsymsLine line;
  if (!take_address(text, line.address) || text.size() < 3 || text[1] != ' ') return;
  line.type = text[0];
  line.rest = text.substr(2);
  take(line);
}

}  // namespace

std::string_view KallsymsLine::module() const {
  const std::size_t name_end = rest.find_first_of("\t ");
  if (name_end == std::string_view::npos) return {};
  const std::string_view module = rest.substr(name_end + 1);
  if (!module.starts_with('[') || !module.ends_with(']')) return {};
  return module.substr(1, module.size() - 2);
}

void KallsymsLines::feed(std::string_view chunk, const Take& take) {
  while (!chunk.empty()) {
    const std::size_t end = chunk.find('\n');
    const std::string_view piece = chunk.substr(0, end);
    const bool complete = end != std::string_view::npos;
    chunk.remove_prefix(complete ? end + 1 : chunk.size());
    if (!skipping_ && partial_.size() + piece.size() > kMaxKallsymsLine) {
      skipping_ = true;
      partial_.clear();
    }
    if (!complete) {
      if (!skipping_) partial_ += piece;
    } else if (skipping_) {
      skipping_ = false;
    } else if (partial_.empty()) {
      take_line(piece, take);
    } else {
      partial_ += piece;
      take_line(partial_, take);
      partial_.clear();
    }
  }
}

void KallsymsLines::finish(const Take& take) {
  if (!partial_.empty() && !skipping_) take_line(partial_, take);
  partial_.clear();
}

Status read_kallsyms(const std::string& path, const KallsymsLines::Take& take) {
  const Fd fd = TRY(Fd::open(path));
  KallsymsLines lines;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kReadSize);
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer.get(), kReadSize);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read " + path);
    if (got == 0) break;
    lines.feed({buffer.get(), static_cast<std::size_t>(got)}, take);
  }
  lines.finish(take);
  return {};
}

}  // namespace wick
