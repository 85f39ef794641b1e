// ObjectSymbols: names of addresses in one mapped file, from the best source there is:
//
//   .symtab  ►  separate debug file (build id, debug link)  ►  MiniDebugInfo + .dynsym  ►  .dynsym
//
// and the stubs of the PLT always. Functions of Go go by Go's own tables (GoSymbols), which name
// them as Go does and are in stripped programs too. Opening reads headers only. Ask for many
// addresses at once: resolve() keeps only what they need, find() builds the whole table. One thread
// at a time.
//
//   ObjectSymbols libc = TRY(ObjectSymbols::open("/usr/lib/libc.so.6", {.root =
//   ProcessRoot::of(7)})); libc.resolve(vaddrs, [&](std::size_t i, const Symbol& symbol) { names[i]
//   = intern(symbol.name);
//   });
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "object/elf_file.h"
#include "proc/process_root.h"
#include "symbols/demangle.h"
#include "symbols/go_symbols.h"
#include "symbols/symbol_table.h"

namespace wick {

struct ObjectOptions {
  // Where the process that maps the file sees "/": "/proc/PID/root". Debug files are looked for
  // there first, then in our own root.
  ProcessRoot root;
  DemangleStyle style = DemangleStyle::full;
  bool debug_files = true;
  BudgetTerms terms;  // what the file's budget is part of
  // Asked for the debug file of a build id when there is none on this machine; may be empty.
  std::function<std::shared_ptr<const ElfFile>(const std::string& build_id)> fetch_debug_file;
};

enum class SymbolSource : u8 { none, symtab, debug_file, mini_debug_info, dynsym };

struct Symbol {
  std::string_view name;   // demangled; empty when nothing covers the address
  u64 function_start = 0;  // vaddr
  [[nodiscard]] bool found() const { return !name.empty(); }
};

struct FoundSymbol {
  std::string name;
  u64 function_start = 0;
  bool found = false;
};

class ObjectSymbols {
 public:
  // Called once for each address asked for, by its index; addresses of one function come together.
  // The name is valid during the call.
  using Visit = std::function<void(std::size_t index, const Symbol&)>;

  // `path` as the process sees it.
  [[nodiscard]] static Result<ObjectSymbols> open(const std::string& path, ObjectOptions options);
  // An open file, as from /proc/PID/map_files; `path` serves to find a debug file and may be empty.
  [[nodiscard]] static Result<ObjectSymbols> from_fd(Fd fd, std::string path,
                                                     ObjectOptions options);
  [[nodiscard]] static ObjectSymbols from_elf(ElfFile elf, ObjectOptions options);

  [[nodiscard]] const ElfFile& elf() const { return *elf_; }
  [[nodiscard]] std::optional<u64> file_offset_to_vaddr(u64 offset) const {
    return elf_->file_offset_to_vaddr(offset);
  }

  // In any order; cheapest when sorted. Memory grows with the number of addresses.
  void resolve(std::span<const u64> vaddrs, const Visit& visit);
  [[nodiscard]] FoundSymbol find(u64 vaddr);

  // Go's own tables; nullptr when there are none that we can read.
  [[nodiscard]] const GoSymbols* go();
  // Where names come from; looks for debug files if nobody did yet.
  [[nodiscard]] SymbolSource source();
  // A table could not be read to its end, or cost more than it may: it gave what it gave until
  // there, since some names beat none. Known after the first resolve() or find().
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  ObjectSymbols(std::shared_ptr<const ElfFile> elf, std::string path, ObjectOptions options)
      : elf_(std::move(elf)), path_(std::move(path)), options_(std::move(options)) {}

  // Visits those that are Go's; gives the others, and where each stood.
  [[nodiscard]] std::pair<std::vector<u64>, std::vector<u32>> resolve_go(
      std::span<const u64> vaddrs, const Visit& visit);
  void resolve_by_symbols(std::span<const u64> vaddrs, const Visit& visit);
  [[nodiscard]] SymbolSource choose_source();
  [[nodiscard]] SymbolTable build(std::span<const u64> wanted);
  [[nodiscard]] std::string readable(const SymbolTable::Name& name) const;

  std::shared_ptr<const ElfFile> elf_;
  std::shared_ptr<const ElfFile> extra_;  // the debug file, or the MiniDebugInfo
  std::string path_;
  ObjectOptions options_;
  SymbolSource source_ = SymbolSource::none;
  bool source_chosen_ = false;
  std::optional<GoSymbols> go_;
  bool go_opened_ = false;
  bool damaged_ = false;
  std::optional<SymbolTable> whole_;  // built by the first find()
  SymbolTable::Name raw_;             // of find(), to reuse its memory
};

}  // namespace wick
