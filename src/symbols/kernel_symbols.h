// Names of kernel addresses, from /proc/kallsyms: the kernel's own, its modules', and those of BPF
// programs. kallsyms has 200,000 lines and we want a few hundred of them: the file streams by once
// and only what is wanted is kept, so memory grows with the question. One thread.
//
//   std::vector<u64> wanted = …;                              // sorted, each once
//   KernelSymbols kernel = TRY(resolve_kernel_symbols(wanted));
//   if (kernel.hidden) hint("kernel.kptr_restrict hides them");
//   kernel.symbols[i].name                                     // of wanted[i]
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "symbols/kallsyms.h"

namespace wick {

struct KernelSymbol {
  std::string name;    // empty: not known
  std::string module;  // "nf_tables", "bpf"; empty for the kernel itself
  u64 offset = 0;      // of the wanted address from the symbol's start

  [[nodiscard]] bool found() const { return !name.empty(); }
};

// kallsyms has no sizes: an address this far behind the last symbol belongs to something unlisted.
inline constexpr u64 kMaxKernelFunctionSize = u64{1} << 20;

// Of two symbols at one address: functions before weak ones before data, then fewer underscores.
[[nodiscard]] bool is_better_kernel_symbol(char type, std::string_view name, char other_type,
                                           std::string_view other_name);

struct KernelSymbols {
  std::vector<KernelSymbol> symbols;  // as many as were wanted, in their order
  bool hidden = false;                // every address reads 0: no privilege, or kptr_restrict
  u64 lines = 0;                      // symbols seen
};

// Takes the text in pieces cut anywhere.
class KallsymsMatcher {
 public:
  // `wanted` is sorted, holds each address once, and outlives the matcher.
  explicit KallsymsMatcher(std::span<const u64> wanted);

  void feed(std::string_view chunk);
  void take(const KallsymsLine& line);
  [[nodiscard]] KernelSymbols finish();

 private:
  // The best symbol so far that starts in (wanted[i-1], wanted[i]].
  struct Candidate {
    u64 start = 0;
    char type = 0;  // 0: none yet
    std::string name;
    std::string module;
  };

  static void offer(Candidate& slot, const KallsymsLine& line);

  std::span<const u64> wanted_;
  std::vector<Candidate> candidates_;
  KallsymsLines text_;
  bool any_address_ = false;
  u64 lines_ = 0;
};

[[nodiscard]] Result<KernelSymbols> resolve_kernel_symbols(
    std::span<const u64> wanted, const std::string& path = "/proc/kallsyms");

}  // namespace wick
