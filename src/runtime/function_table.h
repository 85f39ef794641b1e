// FunctionTable: the functions of interpreted programs, by number. A stack keeps a frame as one
// word,
//
//   63 │ function: 39 bits │ line: 24 bits
//
// which needs neither the process nor its runtime any more. Names that a process makes without end
// are refused and counted. One thread.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/runtime.h"
#include "process/image_id.h"

namespace wick {

struct RuntimeFunction {
  std::string name;  // as the runtime's own people write it: "Shop.sell"
  std::string file;
  u32 first_line = 0;
  bool operator==(const RuntimeFunction&) const = default;
};

class FunctionTable {
 public:
  FunctionTable();

  // 0: there is no room, or this process has had its share; that is counted.
  [[nodiscard]] u32 number(wick_runtime_kind kind, ImageId image, RuntimeFunction function);
  // False: this process has had its share of names and tables.
  [[nodiscard]] bool pay(ImageId image, u64 bytes);

  [[nodiscard]] static u64 word(u32 function, u32 line);
  // Of a frame whose function could not be read.
  [[nodiscard]] static u64 gone(wick_runtime_kind kind) { return word(kind, 0); }
  [[nodiscard]] static u32 line(u64 word) { return static_cast<u32>(word & kLineMask); }
  [[nodiscard]] const RuntimeFunction& function(u64 word) const;
  [[nodiscard]] const RuntimeFunction& numbered(u32 number) const { return functions_[number]; }
  [[nodiscard]] u64 refused(wick_runtime_kind kind) const { return refused_[kind]; }

 private:
  static constexpr unsigned kLineBits = 24;
  static constexpr u64 kLineMask = (u64{1} << kLineBits) - 1;

  std::vector<RuntimeFunction> functions_;  // first those that are gone, by kind
  std::unordered_map<std::string, u32> numbers_;
  std::unordered_map<ImageId, u64> paid_;  // bytes of texts and tables, by whose they are
  u64 text_bytes_ = 0;                     // in functions_
  std::array<u64, WICK_RUNTIME_SLOTS> refused_{};
};

}  // namespace wick
