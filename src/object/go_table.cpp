#include "object/go_table.h"

#include <elf.h>
#include <fmt/format.h>

#include <array>

#include "arch/machine.h"

namespace wick {
namespace {

constexpr u32 kMagic118 = 0xfffffff0;
constexpr u32 kMagic120 = 0xfffffff1;
constexpr u64 kHeaderBytes = 72;
constexpr u64 kFunctabEntry = 8;
constexpr u64 kLongestName = 4096;
constexpr u64 kDataLimit = u64{32} << 20;
constexpr u64 kRelocationLimit = u64{32} << 20;

// Numbers of Go's own funcdata and pcdata, the same in both layouts.
constexpr u32 kPcdataInlined = 2;
constexpr u32 kFuncdataInlined = 3;

// Words of a moduledata; up to the last one that is looked at.
enum : std::size_t {
  kModuleHeader = 0,
  kModuleFunctab = 16,
  kModuleFunctabLength = 17,
  kModuleText = 22,
  kModuleFuncdata118 = 38,
  kModuleFuncdata120 = 40,
  kModuleWords = 41,
};
using GoModuleWords = std::array<u64, kModuleWords>;

u64 word_at(std::span<const std::byte> bytes, u64 offset) {
  u64 out = 0;
  std::memcpy(&out, bytes.data() + offset, sizeof(out));
  return out;
}

constexpr std::string_view kShared = ".data.rel.ro";

// Linkers of position-independent programs put it among other data.
const ElfSection* go_section(const ElfFile& elf) {
  for (const std::string_view name : {std::string_view{".gopclntab"}, kShared}) {
    if (name == kShared && elf.section(".note.go.buildid") == nullptr &&
        elf.section(".go.buildinfo") == nullptr)
      return nullptr;
    const ElfSection* section = elf.section(name);
    if (section != nullptr && section->type != SHT_NOBITS) return section;
  }
  return nullptr;
}

// Where in shared data the header is: by its first eight bytes.
std::optional<u64> find_header(std::span<const std::byte> bytes) {
  constexpr u64 kNext = u64{0x08010000} << 32;  // an instruction has 1 byte, a pointer 8
  for (u64 at = 0; at + kHeaderBytes <= bytes.size(); at += 8) {
    const u64 word = word_at(bytes, at);
    if (word == (kNext | kMagic118) || word == (kNext | kMagic120)) return at;
  }
  return std::nullopt;
}

GoModuleWords module_at(std::span<const std::byte> bytes, u64 offset) {
  GoModuleWords out{};
  std::memcpy(out.data(), bytes.data() + offset, std::min<u64>(sizeof(out), bytes.size() - offset));
  return out;
}

// A position-independent file has the addresses in its relocations: sorted or not, what is asked
// for is a few words.
std::vector<Elf64_Rela> relative_relocations(const ElfFile& elf) {
  std::vector<Elf64_Rela> out;
  if (elf.type() != ET_DYN) return out;
  for (const ElfSection& section : elf.sections()) {
    if (section.type != SHT_RELA || (section.flags & SHF_ALLOC) == 0) continue;
    const auto bytes = elf.read_section(section, kRelocationLimit);
    if (!bytes) continue;
    if (!elf.budget().spend(Cost::memory, bytes->size())) return out;
    out.reserve(bytes->size() / sizeof(Elf64_Rela));
    for (u64 at = 0; at + sizeof(Elf64_Rela) <= bytes->size(); at += sizeof(Elf64_Rela)) {
      if (!elf.budget().spend(Cost::steps, 1)) return out;
      Elf64_Rela entry{};
      std::memcpy(&entry, bytes->data() + at, sizeof(entry));
      if (is_relative_relocation(ELF64_R_TYPE(entry.r_info))) out.push_back(entry);
    }
    break;  // the linker writes one; more would multiply the work
  }
  return out;
}

void relocate(const ElfSection& section, std::span<const Elf64_Rela> relocations,
              std::vector<std::byte>& bytes) {
  for (const Elf64_Rela& entry : relocations) {
    const u64 at = entry.r_offset - section.address;
    if (entry.r_offset < section.address || bytes.size() < 8 || at > bytes.size() - 8) continue;
    std::memcpy(bytes.data() + at, &entry.r_addend, sizeof(u64));
  }
}

}  // namespace

bool GoTable::is_in(const ElfFile& elf) {
  return is_this_machine(elf.machine()) && elf.is_64() && go_section(elf) != nullptr;
}

Result<GoTable> GoTable::open(const ElfFile& elf) {
  const ElfSection* section = go_section(elf);
  if (section == nullptr) return fail("no .gopclntab");
  std::vector<std::byte> bytes = TRY_CTX(elf.read_section(*section), section->name);
  u64 address = section->address;
  if (section->name == kShared) {
    const auto at = find_header(bytes);
    if (!at) return fail("a layout of Go's tables that is not known");
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*at));
    address += *at;
  }
  GoTable table{elf, std::move(bytes), address};
  if (!elf.budget().spend(Cost::memory, table.bytes())) return fail(elf.budget().cause());
  TRY(table.read_header());
  table.read_module();
  if (table.text_ == 0) return fail("the beginning of the Go text was not found");
  return table;
}

Status GoTable::read_header() {
  ByteReader in{bytes_};
  const u32 magic = in.fixed<u32>();
  in.skip(2);
  const u8 quantum = in.byte();
  const u8 pointer_bytes = in.byte();
  if (magic != kMagic118 && magic != kMagic120)
    return fail(fmt::format("a layout of .gopclntab that is not known ({:#x})", magic));
  newer_ = magic == kMagic120;
  if (quantum != 1 || pointer_bytes != 8)
    return fail("not the .gopclntab of a program of this machine");
  const u64 functions = in.fixed<u64>();
  in.skip(8);  // files
  text_ = in.fixed<u64>();
  names_ = in.fixed<u64>();
  units_ = in.fixed<u64>();
  files_ = in.fixed<u64>();
  pctab_ = in.fixed<u64>();
  functab_ = in.fixed<u64>();
  if (!in.ok()) return fail("a .gopclntab that is cut off");
  for (const u64 offset : {names_, units_, files_, pctab_, functab_})
    if (offset < kHeaderBytes || offset >= bytes_.size())
      return fail("an offset outside of .gopclntab");
  const u64 room = (bytes_.size() - functab_) / kFunctabEntry;
  if (functions >= room) return fail("more functions than .gopclntab has room for");
  function_count_ = functions;
  return {};
}

// The first one that fits. A word of the header leads to nothing but the table itself, so a
// moduledata that points at the same table in three places is no accident.
void GoTable::read_module() {
  const std::vector<Elf64_Rela> relocations = relative_relocations(*elf_);
  for (const char* name : {".go.module", ".noptrdata", ".data", ".data.rel.ro"}) {
    const ElfSection* section = elf_->section(name);
    if (section == nullptr || section->type == SHT_NOBITS) continue;
    auto bytes = elf_->read_section(*section, kDataLimit);
    if (!bytes) continue;
    relocate(*section, relocations, *bytes);
    for (u64 at = 0; at + 8 <= bytes->size(); at += 8)
      if (word_at(*bytes, at) == address_ && take_module(module_at(*bytes, at))) return;
  }
}

bool GoTable::take_module(std::span<const u64> module) {
  if (module[kModuleHeader] != address_ || module[kModuleFunctab] != address_ + functab_ ||
      module[kModuleFunctabLength] != function_count_ + 1 || module[kModuleText] == 0)
    return false;
  text_ = module[kModuleText];
  const u64 funcdata = module[newer_ ? kModuleFuncdata120 : kModuleFuncdata118];
  if (elf_->vaddr_to_file_offset(funcdata)) funcdata_ = funcdata;
  return true;
}

u32 GoTable::word(u64 offset) const {
  u32 out = 0;
  if (offset <= bytes_.size() && bytes_.size() - offset >= sizeof(out))
    std::memcpy(&out, bytes_.data() + offset, sizeof(out));
  return out;
}

std::optional<GoFunction> GoTable::function(std::size_t index) const {
  if (index >= function_count_) return std::nullopt;
  const u64 entry = functab_ + index * kFunctabEntry;
  const u64 at = functab_ + word(entry + 4);
  const u64 fixed_bytes = newer_ ? 44 : 40;
  if (at > bytes_.size() || bytes_.size() - at < fixed_bytes) return std::nullopt;
  GoFunction out{.begin = text_ + word(entry),
                 .end = text_ + word(entry + kFunctabEntry),
                 .name = word(at + 4),
                 .pcsp = word(at + 16),
                 .pcfile = word(at + 20),
                 .pcln = word(at + 24),
                 .unit = word(at + 32),
                 .pcdata_count = word(at + 28),
                 .funcdata_count = static_cast<u32>(bytes_[at + fixed_bytes - 1]),
                 .pcdata = at + fixed_bytes,
                 .flags = static_cast<u8>(bytes_[at + fixed_bytes - 3])};
  if (out.end <= out.begin || word(at) != word(entry)) return std::nullopt;
  return out;
}

std::optional<GoFunction> GoTable::find(u64 vaddr) const {
  if (vaddr < text_) return std::nullopt;
  const u64 from_text = vaddr - text_;
  std::size_t low = 0;
  std::size_t high = function_count_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (word(functab_ + middle * kFunctabEntry) <= from_text)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return std::nullopt;
  const auto found = function(low - 1);
  if (!found || vaddr < found->begin || vaddr >= found->end) return std::nullopt;
  return found;
}

std::string_view GoTable::text_at(u64 offset) const {
  if (offset >= bytes_.size()) return {};
  const u64 most = std::min(kLongestName, bytes_.size() - offset);
  const auto* begin = reinterpret_cast<const char*>(bytes_.data() + offset);
  const void* nul = std::memchr(begin, 0, most);
  if (nul == nullptr) return {};
  return {begin, static_cast<std::size_t>(static_cast<const char*>(nul) - begin)};
}

std::string_view GoTable::name(u32 offset) const {
  return text_at(names_ + offset);
}

std::string_view GoTable::file(const GoFunction& function, i32 index) const {
  if (index < 0) return {};
  const u64 at = units_ + (u64{function.unit} + static_cast<u32>(index)) * sizeof(u32);
  if (at >= bytes_.size()) return {};
  const u32 offset = word(at);
  return offset == ~u32{0} ? std::string_view{} : text_at(files_ + offset);
}

ByteReader GoTable::pc_table(u32 table) const {
  const u64 at = pctab_ + table;
  if (at >= bytes_.size()) return {};
  return ByteReader{std::span{bytes_}.subspan(at)};
}

std::optional<i32> GoTable::value_at(u32 table, const GoFunction& function, u64 pc) const {
  std::optional<i32> out;
  for_each_value(table, function, [&](u64 begin, u64 end, i32 value) {
    if (pc >= begin && pc < end) out = value;
    return pc >= end;
  });
  return out;
}

std::optional<GoInlinedCall> GoTable::inlined_at(const GoFunction& function, u64 pc) const {
  if (funcdata_ == 0 || function.pcdata_count <= kPcdataInlined ||
      function.funcdata_count <= kFuncdataInlined)
    return std::nullopt;
  const auto index = value_at(word(function.pcdata + kPcdataInlined * 4), function, pc);
  const u64 tree = word(function.pcdata + (u64{function.pcdata_count} + kFuncdataInlined) * 4);
  if (!index || *index < 0 || tree == ~u32{0}) return std::nullopt;
  const u64 call_bytes = newer_ ? 16 : 20;
  const u64 name_at = newer_ ? 4 : 12;
  const auto offset =
      elf_->vaddr_to_file_offset(funcdata_ + tree + call_bytes * static_cast<u64>(*index));
  std::array<u32, 2> words{};  // where the name is, and where the call was
  if (!offset || !elf_->bytes().read(*offset + name_at, std::as_writable_bytes(std::span{words})))
    return std::nullopt;
  const u64 caller = function.begin + words[1];
  if (caller >= function.end) return std::nullopt;
  return GoInlinedCall{.name = words[0], .caller_pc = caller};
}

}  // namespace wick
