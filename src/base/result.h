// Result: a value or an Error. Every fallible function of Wick returns one.
//
//   Result<Fd> open_config(const Path& path) {
//     Fd fd = TRY(Fd::open(path));            // returns early with the error
//     TRY_CTX(check(fd), "check config");     // the same, with one phrase put in front
//     return fd;
//   }
#pragma once

#include <cerrno>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace wick {

// Who has to act: the person who typed the command (exit 2), or the machine (exit 1).
enum class ErrorKind : unsigned char { failed, usage };

struct Error {
  std::string message;
  int code = 0;      // an errno value; 0 when the failure has none
  std::string hint;  // the way out, where we know one
  ErrorKind kind = ErrorKind::failed;

  // "attach perf_event cpu 3: Operation not permitted — needs CAP_PERFMON"
  [[nodiscard]] std::string text() const;
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

[[nodiscard]] std::unexpected<Error> fail(std::string message, std::string hint = {});
[[nodiscard]] std::unexpected<Error> fail_errno(std::string message, int code = errno);
[[nodiscard]] std::unexpected<Error> fail_usage(std::string message, std::string hint = {});

// Puts `phrase: ` in front of the error's message.
[[nodiscard]] Error with_context(Error error, std::string_view phrase);

}  // namespace wick

// NOLINTBEGIN(cppcoreguidelines-macro-usage): an early return cannot be a function.
#define TRY(...)                                             \
  __extension__({                                            \
    auto&& try_result = (__VA_ARGS__);                       \
    if (!try_result) [[unlikely]]                            \
      return std::unexpected(std::move(try_result).error()); \
    std::move(try_result).value();                           \
  })

#define TRY_CTX(expression, phrase)                                                        \
  __extension__({                                                                          \
    auto&& try_result = (expression);                                                      \
    if (!try_result) [[unlikely]]                                                          \
      return std::unexpected(::wick::with_context(std::move(try_result).error(), phrase)); \
    std::move(try_result).value();                                                         \
  })
// NOLINTEND(cppcoreguidelines-macro-usage)
