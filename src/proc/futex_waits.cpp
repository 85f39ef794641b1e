#include "proc/futex_waits.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "base/text.h"
#include "proc/process.h"

namespace wick {
namespace {

std::optional<u64> hex_word(std::string_view& rest) {
  std::string_view word = take_until(rest, ' ');
  if (!word.starts_with("0x")) return std::nullopt;
  return parse_number<u64>(word.substr(2), 16);
}

}  // namespace

std::optional<FutexWait> parse_futex_wait(std::string_view text) {
  text = trim(text);
  if (parse_number<long>(take_until(text, ' ')) != long{SYS_futex}) return std::nullopt;
  const auto address = hex_word(text);
  const auto operation = hex_word(text);
  const auto expects = hex_word(text);
  if (!address || !operation || !expects) return std::nullopt;
  const auto command = static_cast<u32>(*operation) & static_cast<u32>(FUTEX_CMD_MASK);
  constexpr u32 kLockPi2 = 13;
  const bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET ||
                     command == FUTEX_LOCK_PI || command == kLockPi2 ||
                     command == FUTEX_WAIT_REQUEUE_PI;
  if (!waits) return std::nullopt;
  return FutexWait{.address = *address, .command = command, .expects = static_cast<u32>(*expects)};
}

std::optional<FutexWait> futex_wait_of(u32 pid, u32 tid) {
  const auto text = read_process_file(pid, fmt::format("task/{}/syscall", tid));
  if (!text) return std::nullopt;
  auto wait = parse_futex_wait(*text);
  if (wait) wait->tid = tid;
  return wait;
}

std::vector<FutexWait> futex_waits(u32 pid) {
  std::vector<FutexWait> out;
  for (const u32 tid : threads_of(pid).value_or(std::vector<u32>{}))
    if (const auto wait = futex_wait_of(pid, tid)) out.push_back(*wait);
  return out;
}

}  // namespace wick
