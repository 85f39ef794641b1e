// KernelNames: names of kernel addresses that can be asked for again and again. The first question
// reads /proc/kallsyms and keeps what it asked for, as a run of one window needs no more; the next
// one with new addresses keeps the whole table (8 MB). It is read anew when modules came or went,
// and now and then when somebody asks for an address that is in no symbol or in a BPF program:
// programs come and go without a word. One thread.
//
//   KernelNames names;
//   KernelSymbols kernel = TRY(names.resolve(wanted, monotonic_ns()));    // sorted, each once
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "symbols/kernel_symbols.h"

namespace wick {

// All of kallsyms, by address.
class KallsymsTable {
 public:
  void take(const KallsymsLine& line);
  void finish();
  [[nodiscard]] KernelSymbol find(u64 address) const;
  [[nodiscard]] bool hidden() const { return lines_ != 0 && entries_.empty(); }
  [[nodiscard]] u64 lines() const { return lines_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Entry {
    u64 start;
    u32 name;  // in texts_, ends with NUL
    u16 module;
    char type;
  };
  [[nodiscard]] std::string_view name_of(const Entry& entry) const;
  [[nodiscard]] u16 module_number(std::string_view module);

  std::vector<Entry> entries_;
  std::string texts_;
  std::vector<std::string> modules_{""};
  u16 last_module_ = 0;
  u64 lines_ = 0;
};

class KernelNames {
 public:
  explicit KernelNames(std::string kallsyms = "/proc/kallsyms",
                       std::string modules = "/proc/modules")
      : kallsyms_(std::move(kallsyms)), modules_(std::move(modules)) {}

  // `wanted` is sorted and has each address once.
  [[nodiscard]] Result<KernelSymbols> resolve(std::span<const u64> wanted, u64 now_ns);

  // How often kallsyms was read.
  [[nodiscard]] u64 reads() const { return reads_; }
  [[nodiscard]] std::size_t bytes() const { return table_.bytes(); }

 private:
  [[nodiscard]] std::string loaded_modules() const;
  void forget();
  [[nodiscard]] Result<KernelSymbols> resolve_first(std::span<const u64> wanted, u64 now_ns);
  [[nodiscard]] bool answer_known(std::span<const u64> wanted, KernelSymbols& out) const;
  [[nodiscard]] KernelSymbols answer_from_table(std::span<const u64> wanted) const;
  [[nodiscard]] Status read_table(u64 now_ns);

  std::string kallsyms_;
  std::string modules_;
  std::string loaded_;  // which modules, when kallsyms was read
  bool was_asked_ = false;
  std::unordered_map<u64, KernelSymbol> first_;  // what the first question asked for
  bool first_hidden_ = false;
  bool has_table_ = false;
  KallsymsTable table_;
  u64 read_ns_ = 0;
  u64 reads_ = 0;
};

}  // namespace wick
