// for_each_plt_stub: a stub jumps to where a slot points (arch/plt_stub.h), the slot is a word of
// the GOT, and a relocation says which symbol's address the dynamic linker puts there. The lazy
// half of a stub, which pushes the relocation's number instead, is named as well.
#include <elf.h>

#include <algorithm>
#include <array>
#include <vector>

#include "arch/machine.h"
#include "arch/plt_stub.h"
#include "object/elf_symbols.h"
#include "object/records.h"

namespace wick {
namespace {

constexpr u64 kPltLimit = u64{8} << 20;
constexpr u64 kMaxRelocations = u64{16} << 20;
constexpr std::array<std::string_view, 4> kPltNames{".plt", ".plt.sec", ".plt.got", ".iplt"};
constexpr u64 kDynamicLimit = 64U << 10;

struct Stub {
  u64 key;  // the GOT slot, or the relocation's number
  u64 start;
  u32 size;
};
struct Stubs {
  std::vector<Stub> by_slot;
  std::vector<Stub> by_number;
};
struct SymbolStub {
  u32 symbol;  // index in .dynsym
  PltStub stub;
};

struct PltElf64 {
  using Symbol = Elf64_Sym;
  using Rela = Elf64_Rela;
  using Rel = Elf64_Rel;
  using Dynamic = Elf64_Dyn;
  static u32 symbol(u64 info) { return static_cast<u32>(info >> 32); }
  static u32 type(u64 info) { return static_cast<u32>(info); }
};
struct PltElf32 {
  using Symbol = Elf32_Sym;
  using Rela = Elf32_Rela;
  using Rel = Elf32_Rel;
  using Dynamic = Elf32_Dyn;
  static u32 symbol(u64 info) { return static_cast<u32>(info >> 8); }
  static u32 type(u64 info) { return static_cast<u32>(info & 255); }
};

PltCode plt_code(const ElfFile& elf) {
  const ElfSection* got = elf.section(".got.plt");
  if (got == nullptr) got = elf.section(".got");
  return {.is_64 = is_this_machine(elf.machine()), .got_base = got != nullptr ? got->address : 0};
}

Stubs find_stubs(const ElfFile& elf) {
  Stubs stubs;
  const PltCode file = plt_code(elf);
  // Linkers make one of each name; a file may have 65,000 over the same bytes.
  for (const std::string_view name : kPltNames) {
    const ElfSection* section = elf.only_section(name);
    if (section == nullptr || section->type != SHT_PROGBITS) continue;
    const auto code = elf.read_section(*section, kPltLimit);
    if (!code) continue;
    const std::size_t step = plt_stub_size(section->entry_size, *code);
    for (std::size_t at = 0; at + step <= code->size(); at += step) {
      if (!elf.budget().spend(Cost::stubs, 1)) break;
      const u64 start = section->address + at;
      const auto stub = decode_plt_stub(file, start, std::span{*code}.subspan(at, step));
      if (!stub) continue;
      (stub->by_number ? stubs.by_number : stubs.by_slot)
          .push_back({stub->key, start, static_cast<u32>(step)});
    }
  }
  std::ranges::sort(stubs.by_slot, {}, &Stub::key);
  std::ranges::sort(stubs.by_number, {}, &Stub::key);
  return stubs;
}

// How many relocations at the front of .rela.dyn only add the load address: most of a large
// library's (libLLVM: 0.3 million), and none of ours.
template <class Layout>
u64 relative_count(const ElfFile& elf) {
  const ElfSection* dynamic = elf.section_of_type(SHT_DYNAMIC);
  if (dynamic == nullptr || dynamic->size > kDynamicLimit) return 0;
  using Dynamic = typename Layout::Dynamic;
  u64 found = 0;
  const Status read =
      for_each_record<Dynamic>(elf.bytes(), dynamic->offset, 0, dynamic->size / sizeof(Dynamic),
                               [&](u64, const Dynamic& entry) {
                                 if (entry.d_tag == DT_RELACOUNT || entry.d_tag == DT_RELCOUNT)
                                   found = entry.d_un.d_val;
                               });
  return read ? found : 0;
}

class RelocationMatcher {
 public:
  RelocationMatcher(const ElfFile& elf, const std::function<void(const PltStub&)>& visit)
      : elf_(elf), visit_(visit), stubs_(find_stubs(elf)) {}

  [[nodiscard]] bool empty() const { return stubs_.by_slot.empty() && stubs_.by_number.empty(); }

  template <class Layout>
  [[nodiscard]] Status match_all() {
    for (const std::string_view name : {".rela.plt", ".rela.dyn", ".rel.plt", ".rel.dyn"}) {
      const ElfSection* section = elf_.only_section(name);
      if (section == nullptr) continue;
      if (section->type == SHT_RELA) TRY((match<Layout, typename Layout::Rela>(*section)));
      if (section->type == SHT_REL) TRY((match<Layout, typename Layout::Rel>(*section)));
    }
    return name_by_symbol<typename Layout::Symbol>();
  }

 private:
  template <class Layout, class Relocation>
  [[nodiscard]] Status match(const ElfSection& section) {
    const bool of_plt = section.name == ".rela.plt" || section.name == ".rel.plt";
    const u64 first = of_plt ? 0 : relative_count<Layout>(elf_);
    const u64 count = std::min<u64>(section.size / sizeof(Relocation), kMaxRelocations);
    return for_each_record<Relocation>(
        elf_.bytes(), section.offset, first, count, [&](u64 number, const Relocation& relocation) {
          u64 resolver = 0;
          if constexpr (requires { relocation.r_addend; })
            if (is_resolver_relocation(Layout::type(relocation.r_info)) && elf_.is_64())
              resolver = static_cast<u64>(relocation.r_addend);
          if (resolver == 0 && !is_slot_relocation(Layout::type(relocation.r_info))) return;
          const u32 symbol = Layout::symbol(relocation.r_info);
          report(stubs_.by_slot, relocation.r_offset, symbol, resolver);
          if (of_plt) report(stubs_.by_number, number, symbol, resolver);
        });
  }

  // Every stub has one relocation; a file that says otherwise shall not take our time and memory.
  void report(std::span<const Stub> stubs, u64 key, u32 symbol, u64 resolver) {
    for (const Stub& stub : std::ranges::equal_range(stubs, key, {}, &Stub::key)) {
      if (reported_++ >= stubs_.by_slot.size() + stubs_.by_number.size()) return;
      const PltStub found{.start = stub.start, .size = stub.size, .name = 0, .resolver = resolver};
      if (resolver != 0)
        visit_(found);
      else
        matched_.push_back({symbol, found});
    }
  }

  // Forwards through .dynsym, once.
  template <class Symbol>
  [[nodiscard]] Status name_by_symbol() {
    const ElfSection* table = elf_.section_of_type(SHT_DYNSYM);
    if (matched_.empty() || table == nullptr) return {};
    std::ranges::sort(matched_, {}, &SymbolStub::symbol);
    auto next = matched_.begin();
    const u64 count =
        std::min({table->size / sizeof(Symbol), kMaxSymbols, u64{matched_.back().symbol} + 1});
    return for_each_record<Symbol>(
        elf_.bytes(), table->offset, next->symbol, count, [&](u64 index, const Symbol& symbol) {
          for (; next != matched_.end() && next->symbol == index; ++next) {
            next->stub.name = symbol.st_name;
            if (symbol.st_name != 0) visit_(next->stub);
          }
        });
  }

  const ElfFile& elf_;
  const std::function<void(const PltStub&)>& visit_;
  Stubs stubs_;
  std::vector<SymbolStub> matched_;
  std::size_t reported_ = 0;
};

}  // namespace

bool is_plt(const ElfSection& section) {
  return std::ranges::find(kPltNames, section.name) != kPltNames.end();
}

Status for_each_plt_stub(const ElfFile& elf, const std::function<void(const PltStub&)>& visit) {
  if (!has_known_code(elf.machine())) return {};
  RelocationMatcher matcher{elf, visit};
  if (matcher.empty()) return {};
  return elf.is_64() ? matcher.match_all<PltElf64>() : matcher.match_all<PltElf32>();
}

}  // namespace wick
