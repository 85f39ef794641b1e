// What the worker tells of addresses in one file: their functions, source lines, inlined calls, and
// whether a call can return there. The question and the answer; the work is read_names(). One
// thread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "worker/file_work.h"

namespace wick {

struct NamePlace {
  u64 file_offset = 0;
  bool is_return = false;  // one less than a return address, not the sampled place itself
};

struct NamesQuestion {
  std::string path;  // of the file, as its process sees it
  bool lines =
      false;  // source lines and inlined calls too; Go's calls come without being asked for
  std::vector<NamePlace> places;  // cheapest in ascending order
};

// Texts of an answer by number; 0 is "". Each is there once.
class AnswerTexts {
 public:
  // More than this in all, and the next ones are cut short.
  static constexpr u64 kRoomBytes = u64{64} << 20;
  static constexpr std::size_t kShortBytes = 128;
  static constexpr u32 kLongestBytes = 17'000;

  [[nodiscard]] u32 add(std::string_view text);
  // For an answer that was received. False: too long.
  [[nodiscard]] bool append(std::string_view text);
  [[nodiscard]] const std::string& at(u32 number) const { return texts_[number]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::vector<std::string> texts_{std::string{}};
  std::unordered_map<std::string, u32> numbers_{{std::string{}, 0}};
  u64 bytes_ = 0;
};

// Where in the source; numbers of texts.
struct SourceSpot {
  u32 function = 0;
  u32 file = 0;
  u32 line = 0;
};

struct NamedPlace {
  u64 vaddr = 0;
  u64 function_start = 0;
  u32 name = 0;  // a text; 0: no symbol covers it
  SourceSpot spot;
  u32 first_inlined = 0;  // in NamesAnswer::inlined, innermost first
  u32 inlined_count = 0;
  bool is_broken = false;  // no call returns there: the walk went astray
};

struct NamesAnswer {
  bool readable = false;  // it is an ELF file; otherwise nothing else is set
  std::string build_id;
  AnswerTexts texts;
  std::vector<NamedPlace> places;  // one for each that was asked for
  std::vector<SourceSpot> inlined;
  bool lines_found = false;
  bool lines_damaged = false;
  u64 missing_split_units = 0;
  BudgetReport lines_spent;  // what was too much for lines may still have names
  BudgetReport spent;
};

// `file` invalid: the vdso of this process.
[[nodiscard]] NamesAnswer read_names(Fd file, const NamesQuestion& question, WorkHost& host,
                                     const BudgetTerms& terms);

}  // namespace wick
