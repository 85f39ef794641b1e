// SymbolTable: which function covers an address, for one object. 16 bytes a function; names stay
// in the file until asked for. Used by ObjectSymbols, which chooses the sources. One thread.
//
//   SymbolTable table{wanted};                  // sorted addresses; none: keep everything
//   TRY(table.add_plt(elf));                    // first: IFUNC stubs are named by what follows
//   TRY(table.add(elf, *symtab));
//   table.finish();
//   if (auto found = table.find(vaddr)) table.name(*found, name);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "object/elf_file.h"
#include "object/elf_symbols.h"
#include "symbols/name_source.h"

namespace wick {

class SymbolTable {
 public:
  struct Name {
    std::string text;  // as in the file; empty when it cannot be read
    bool plt = false;
  };

  SymbolTable() = default;
  // Keeps only functions that can cover one of `wanted` (sorted; must outlive finish()).
  explicit SymbolTable(std::span<const u64> wanted);

  [[nodiscard]] Status add_plt(const std::shared_ptr<const ElfFile>& elf);
  [[nodiscard]] Status add(const std::shared_ptr<const ElfFile>& elf, const ElfSection& table);
  void finish();

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  // The function that covers `vaddr`, as an index: equal for all addresses of one function.
  [[nodiscard]] std::optional<u32> find(u64 vaddr) const;
  // The same for many in ascending order.
  void find_sorted(
      std::span<const u64> vaddrs,
      const std::function<void(std::size_t position, std::optional<u32> index)>& visit) const;
  [[nodiscard]] u64 start(u32 index) const { return entries_[index].start; }
  void name(u32 index, Name& out);
  // Names of many functions: reads the file forwards, so that it need not be held. Calls visit once
  // for each, in any order.
  void names(std::span<const u32> indices,
             const std::function<void(std::size_t position, const Name&)>& visit);

 private:
  struct Entry {
    u64 start;
    u32 name;
    u32 size : 25;   // 0: up to the next symbol; 32 MB is the longest
    u32 rank : 4;    // lower is better among symbols of one start
    u32 source : 2;  // index in sources_
    u32 plt : 1;
  };
  static_assert(sizeof(Entry) == 16);

  struct IfuncStub {
    u64 resolver;
    Entry entry;
  };
  // Once, however many stubs it has.
  struct Resolver {
    u64 start;
    u32 rank;  // of the symbol that names it; kUnnamed until one was seen
    u32 name = 0;
    u32 source = 0;
  };
  struct Range {
    u64 start;
    u64 end;
  };

  // False: the file has used up its budget.
  bool insert(Budget& budget, const Entry& entry);
  bool keep(Budget& budget, const Entry& entry);
  void name_resolver(const Entry& symbol);
  [[nodiscard]] bool wanted_in(u64 start, u64 size) const;
  [[nodiscard]] std::size_t slot_of(const Entry& entry) const;
  [[nodiscard]] bool useful(const Entry& entry, std::size_t slot) const;
  void prune();
  void drop_worse_aliases();
  [[nodiscard]] std::optional<u32> add_source(const std::shared_ptr<const ElfFile>& elf,
                                              const ElfSection& table);
  [[nodiscard]] std::optional<u32> find_before(std::size_t count, u64 vaddr) const;
  [[nodiscard]] u32 best_alias(std::size_t index, u64 vaddr) const;
  [[nodiscard]] bool zero_size_covers(const Entry& entry, u64 vaddr) const;
  [[nodiscard]] std::size_t aliases_of(std::size_t index) const;

  std::vector<Entry> entries_;
  std::vector<Range> code_;  // executable sections, sorted
  std::vector<NameSource> sources_;
  std::vector<IfuncStub> ifunc_stubs_;
  std::vector<Resolver> resolvers_;  // by start

  std::span<const u64> wanted_;
  std::vector<u64> latest_;  // for each wanted address, the last start in the gap before it
  std::size_t prune_at_ = 1024;
};

}  // namespace wick
