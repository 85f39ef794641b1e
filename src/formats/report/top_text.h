// The rows of views/top.h for people and for scripts.
//
//   TRY(session.out().write(top_table(top_rows(profile, {.count = 10}))));
#pragma once

#include <string>

#include "views/top.h"

namespace wick {

//     SELF  SELF%    TOTAL TOTAL%  FUNCTION
[[nodiscard]] std::string top_table(const Top& top);
// One object a line.
[[nodiscard]] std::string top_json(const Top& top);

}  // namespace wick
