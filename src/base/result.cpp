#include "base/result.h"

#include <cstring>

namespace wick {

std::string Error::text() const {
  std::string out = message;
  if (code != 0) {
    out += out.empty() ? "" : ": ";
    out += std::strerror(code);
  }
  if (!hint.empty()) {
    out += " — ";
    out += hint;
  }
  return out;
}

std::unexpected<Error> fail(std::string message, std::string hint) {
  return std::unexpected(Error{.message = std::move(message), .hint = std::move(hint)});
}

std::unexpected<Error> fail_errno(std::string message, int code) {
  return std::unexpected(Error{.message = std::move(message), .code = code, .hint = {}});
}

std::unexpected<Error> fail_usage(std::string message, std::string hint) {
  return std::unexpected(
      Error{.message = std::move(message), .hint = std::move(hint), .kind = ErrorKind::usage});
}

Error with_context(Error error, std::string_view phrase) {
  error.message = std::string(phrase) + (error.message.empty() ? "" : ": ") + error.message;
  return error;
}

}  // namespace wick
