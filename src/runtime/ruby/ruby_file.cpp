#include "runtime/ruby/ruby_file.h"

#include <elf.h>

#include <array>
#include <cstring>
#include <string_view>

#include "arch/machine.h"
#include "base/text.h"
#include "bpf/abi/runtime/ruby.h"
#include "object/named_symbols.h"
#include "object/records.h"
#include "runtime/ruby/ruby_runtime.h"

namespace wick {
namespace {

using namespace std::literals;

// By these it is known in a file, and what is read of it.
constexpr std::array kRubyNames{"ruby_version"sv,  "rb_vm_exec"sv,           "rb_id2str"sv,
                                "rb_iseq_label"sv, "rb_iseq_first_lineno"sv, "ruby_current_ec"sv};
enum : std::size_t { kVersion, kExec, kIdToString, kLabel, kFirstLine, kContext };

template <class T>
std::optional<T> value_at(const ElfFile& elf, u64 vaddr) {
  T value{};
  const auto offset = elf.vaddr_to_file_offset(vaddr);
  if (!offset || !elf.bytes().read(*offset, std::as_writable_bytes(std::span(&value, 1))))
    return std::nullopt;
  return value;
}

// DT_SONAME, as far as it is of interest. Two small reads, for every file that is mapped.
bool is_named_libruby(const ElfFile& elf) {
  constexpr std::string_view kName = "libruby";
  constexpr u64 kMaxEntries = 256;
  const ElfSection* dynamic = elf.section_of_type(SHT_DYNAMIC);
  const ElfSection* names = dynamic == nullptr ? nullptr : elf.section_at(dynamic->link);
  if (names == nullptr) return false;
  bool found = false;
  std::ignore = for_each_record<Elf64_Dyn>(
      elf.bytes(), dynamic->offset, 0, std::min(kMaxEntries, dynamic->size / sizeof(Elf64_Dyn)),
      [&](u64, const Elf64_Dyn& entry) {
        if (entry.d_tag != DT_SONAME) return;
        std::array<char, kName.size()> name{};
        found = elf.bytes().read(names->offset + entry.d_un.d_val,
                                 std::as_writable_bytes(std::span(name))) &&
                std::string_view{name.data(), name.size()} == kName;
      });
  return found;
}

// Where the dynamic linker writes the module of a thread-local variable, and its offset behind it.
u64 find_tls_index(const ElfFile& elf, u64 variable) {
  constexpr u64 kMaxRelocations = u64{1} << 20;
  const ElfSection* relocations = elf.section(".rela.dyn");
  const ElfSection* table = elf.section_of_type(SHT_DYNSYM);
  if (relocations == nullptr || table == nullptr) return 0;
  u64 found = 0;
  const u64 count = std::min(kMaxRelocations, relocations->size / sizeof(Elf64_Rela));
  std::ignore = for_each_record<Elf64_Rela>(
      elf.bytes(), relocations->offset, 0, count, [&](u64, const Elf64_Rela& relocation) {
        if (!is_module_relocation(ELF64_R_TYPE(relocation.r_info))) return;
        const u64 at = table->offset + ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym);
        Elf64_Sym symbol{};
        if (elf.bytes().read(at, std::as_writable_bytes(std::span(&symbol, 1))) &&
            ELF64_ST_TYPE(symbol.st_info) == STT_TLS && symbol.st_value == variable)
          found = relocation.r_offset;
      });
  return found;
}

// mov 0x10(%rdi),%rax; mov OFFSET(%rax),%rax; ret
bool returns_field_of_body(const ElfFile& elf, u64 function, u8 offset) {
  const std::array<u8, 9> wanted{0x48, 0x8b, 0x47, 0x10, 0x48, 0x8b, 0x40, offset, 0xc3};
  return value_at<std::array<u8, 9>>(elf, function) == wanted;
}

i64 displacement(std::span<const u8> code) {
  i32 value = 0;
  std::memcpy(&value, code.data(), sizeof(value));
  return value;
}

// rb_id2str() jumps to a function that compares the number it was given with the last one, the
// first word of the table: `cmp %edi,TABLE(%rip)`.
u64 find_symbol_table(const ElfFile& elf, u64 id_to_string) {
  const auto entry = value_at<std::array<u8, 24>>(elf, id_to_string);
  if (!entry || (*entry)[19] != 0xe9) return 0;
  const u64 target =
      id_to_string + entry->size() + static_cast<u64>(displacement(std::span(*entry).subspan(20)));
  const auto code = value_at<std::array<u8, 128>>(elf, target);
  if (!code) return 0;
  for (std::size_t i = 0; i + 6 <= code->size(); i++)
    if ((*code)[i] == 0x39 && (*code)[i + 1] == 0x3d)
      return target + i + 6 + static_cast<u64>(displacement(std::span(*code).subspan(i + 2)));
  return 0;
}

std::string version_at(const ElfFile& elf, u64 vaddr) {
  const auto text = value_at<std::array<char, 8>>(elf, vaddr);
  if (!text) return "of unknown version";
  return printable(fixed_text(text->data(), text->size()));
}

// Offsets of 3.1.
constexpr u8 kBodyLabel = 0x50;
constexpr u8 kBodyFirstLine = 0x58;
constexpr wick_ruby_layout kRuby31{
    .tls_index = 0,
    .exec = 0,
    .exec_bytes = 0,
    .frame_bytes = 64,
    .stack = 0,
    .stack_words = 8,
    .frame = 16,
    .tag = 24,
    .fiber = 40,
    .thread = 48,
    .thread_context = 40,
    .tag_label = 24,
    .tag_previous = 56,
    .pc = 0,
    .code = 16,
    .environment = 32,
    .code_body = 16,
    .body_start = 8,
    .pad = {},
};

}  // namespace

std::optional<RubyFile> find_ruby(const ElfFile& elf) {
  if (!elf.is_64() || elf.machine() != EM_X86_64 || !is_named_libruby(elf)) return std::nullopt;
  const auto symbols = find_symbols(elf, kRubyNames);
  if (!symbols[kVersion]) return std::nullopt;
  RubyFile out{.version = version_at(elf, symbols[kVersion]->vaddr)};
  if (!out.version.starts_with("3.1.") || !symbols[kExec] || !symbols[kContext] ||
      !symbols[kLabel] || !symbols[kFirstLine])
    return out;
  out.tls_index = find_tls_index(elf, symbols[kContext]->vaddr);
  out.exec = symbols[kExec]->vaddr;
  out.exec_bytes = static_cast<u32>(std::min<u64>(symbols[kExec]->size, 1U << 20));
  if (symbols[kIdToString]) out.symbols = find_symbol_table(elf, symbols[kIdToString]->vaddr);
  out.is_known = out.tls_index != 0 && out.exec_bytes != 0 &&
                 returns_field_of_body(elf, symbols[kLabel]->vaddr, kBodyLabel) &&
                 returns_field_of_body(elf, symbols[kFirstLine]->vaddr, kBodyFirstLine);
  return out;
}

const Runtime& RubyRuntimeFile::runtime() const {
  return kRubyRuntime;
}

std::optional<wick_runtime> RubyRuntimeFile::attach(const RuntimeProcess& process) const {
  // musl's table of thread-local blocks is another one.
  if (!file_.is_known || !process.has_glibc) return std::nullopt;
  wick_ruby_layout layout = kRuby31;
  layout.tls_index = file_.tls_index + process.bias;
  layout.exec = file_.exec + process.bias;
  layout.exec_bytes = file_.exec_bytes;
  wick_runtime out{.kind = WICK_RUNTIME_RUBY, .pad = 0, .layout = {}};
  static_assert(sizeof(layout) <= sizeof(out.layout));
  std::memcpy(out.layout, &layout, sizeof(layout));
  return out;
}

void RubyRuntimeFile::pack(WireWriter& out) const {
  out.text(file_.version);
  out.put<u8>(file_.is_known ? 1 : 0);
  for (const u64 address : {file_.tls_index, file_.exec, file_.symbols}) out.put(address);
  out.put(file_.exec_bytes);
}

std::shared_ptr<const RuntimeFile> unpack_ruby_file(ByteReader& in) {
  constexpr u32 kLongestVersion = 64;
  RubyFile ruby;
  ruby.version = printable(wire_text(in, kLongestVersion));
  ruby.is_known = in.byte() != 0;
  for (u64* address : {&ruby.tls_index, &ruby.exec, &ruby.symbols}) *address = in.fixed<u64>();
  ruby.exec_bytes = in.fixed<u32>();
  return std::make_shared<const RubyRuntimeFile>(std::move(ruby));
}

std::shared_ptr<const RuntimeFile> find_ruby_file(const ElfFile& elf) {
  auto ruby = find_ruby(elf);
  return ruby ? std::make_shared<const RubyRuntimeFile>(*std::move(ruby)) : nullptr;
}

}  // namespace wick
