// Choice: one of a few words a person may give to an option.
//
//   std::size_t order = TRY(choice("-s", options.sort, {"all", "io", "bytes"}));   // its place
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace wick {

[[nodiscard]] inline Result<std::size_t> choice(std::string_view option, std::string_view given,
                                                std::initializer_list<std::string_view> words) {
  std::string all;
  std::size_t at = 0;
  for (const std::string_view word : words) {
    if (given == word) return at;
    all += std::string(at == 0 ? "" : at + 1 == words.size() ? " or " : ", ") + std::string(word);
    at++;
  }
  return fail_usage(std::string(option) + " " + printable(given) + " is none of its words",
                    "give " + all);
}

}  // namespace wick
