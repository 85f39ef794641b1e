// KallsymsLines: /proc/kallsyms as it streams by, in pieces cut anywhere; 200,000 lines and none of
// them is kept. Used by kernel_symbols.h and kernel_functions.h. One thread.
//
//   TRY(read_kallsyms("/proc/kallsyms", [&](const KallsymsLine& line) { … line.name() … }));
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

// "ffffffff81000100 t do_one", "ffffffffc0100000 t ext4_read\t[ext4]"
struct KallsymsLine {
  u64 address = 0;  // 0: hidden
  char type = 0;
  std::string_view rest;  // from the name on

  [[nodiscard]] std::string_view name() const { return rest.substr(0, rest.find_first_of("\t ")); }
  [[nodiscard]] std::string_view module() const;  // "" for the kernel itself
  [[nodiscard]] bool is_code() const {
    return type == 't' || type == 'T' || type == 'w' || type == 'W';
  }
};

class KallsymsLines {
 public:
  using Take = std::function<void(const KallsymsLine&)>;

  void feed(std::string_view chunk, const Take& take);
  // The last line may have no end.
  void finish(const Take& take);

 private:
  std::string partial_;    // the line a chunk ended in
  bool skipping_ = false;  // inside a line too long to be one
};

[[nodiscard]] Status read_kallsyms(const std::string& path, const KallsymsLines::Take& take);

}  // namespace wick
