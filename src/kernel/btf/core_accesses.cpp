#include "kernel/btf/core_accesses.h"

#include <fmt/core.h>
#include <gelf.h>
#include <linux/bpf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>

#include "kernel/btf/owned_btf.h"

namespace wick {
namespace {

using Bytes = std::span<const std::byte>;

struct ElfEnd {
  void operator()(Elf* elf) const { ::elf_end(elf); }
};

// The head of .BTF.ext, as Documentation/bpf/btf.rst of the kernel gives it.
struct ExtHeader {
  u16 magic;
  u8 version;
  u8 flags;
  u32 header_length;
  u32 func_info_offset, func_info_length;
  u32 line_info_offset, line_info_length;
  u32 core_relo_offset, core_relo_length;
};
struct ExtSection {
  u32 name_offset;
  u32 records;
};

// bpf_core_relo, with a number for its enum: what a file says need not be one of them.
struct Relocation {
  u32 instruction_offset;
  u32 type;
  u32 access_offset;  // in the strings of .BTF
  u32 kind;
};
static_assert(sizeof(Relocation) == sizeof(bpf_core_relo));

template <class T>
Result<T> take(Bytes& from) {
  if (from.size() < sizeof(T)) return fail("cut short");
  T value;
  std::memcpy(&value, from.data(), sizeof(T));
  from = from.subspan(sizeof(T));
  return value;
}

Result<Bytes> elf_section(Elf* elf, std::string_view wanted) {
  std::size_t names = 0;
  if (::elf_getshdrstrndx(elf, &names) != 0) return fail("no section names");
  for (Elf_Scn* section = nullptr; (section = ::elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (::gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = ::elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || name != wanted) continue;
    const Elf_Data* data = ::elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) break;
    return Bytes{static_cast<const std::byte*>(data->d_buf), data->d_size};
  }
  return fail(fmt::format("no section {}", wanted));
}

Result<std::vector<Relocation>> relocations(Bytes ext) {
  Bytes head = ext;
  const auto header = TRY(take<ExtHeader>(head));
  const u64 begin = u64{header.header_length} + header.core_relo_offset;
  if (header.magic != BTF_MAGIC || begin + header.core_relo_length > ext.size())
    return fail("cut short");
  Bytes rest = ext.subspan(begin, header.core_relo_length);
  if (rest.empty()) return fail("no relocations");
  if (TRY(take<u32>(rest)) != sizeof(Relocation)) return fail("relocations of another size");
  std::vector<Relocation> all;
  while (!rest.empty()) {
    const auto section = TRY(take<ExtSection>(rest));
    for (u32 i = 0; i < section.records; ++i) all.push_back(TRY(take<Relocation>(rest)));
  }
  return all;
}

bool asks_for_members_or_size(const Relocation& relocation) {
  switch (relocation.kind) {
    case BPF_CORE_FIELD_BYTE_OFFSET:
    case BPF_CORE_FIELD_BYTE_SIZE:
    case BPF_CORE_FIELD_EXISTS:
    case BPF_CORE_FIELD_SIGNED:
    case BPF_CORE_FIELD_LSHIFT_U64:
    case BPF_CORE_FIELD_RSHIFT_U64:
    case BPF_CORE_TYPE_EXISTS:
    case BPF_CORE_TYPE_SIZE:
      return true;
    default:
      return false;
  }
}

// "0:3:1" → 0, 3, 1
Result<std::vector<u32>> parse_indices(std::string_view text) {
  std::vector<u32> indices;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    u32 index = 0;
    const auto [next, error] = std::from_chars(at, end, index);
    if (error != std::errc{}) return fail(fmt::format("access '{}'", text));
    indices.push_back(index);
    if (next == end) return indices;
    if (*next != ':') return fail(fmt::format("access '{}'", text));
    at = next + 1;
  }
}

class Collector {
 public:
  explicit Collector(const btf* types) : types_(types) {}

  Status add(const Relocation& relocation) {
    if (relocation.kind == BPF_CORE_TYPE_ID_LOCAL) return {};  // asks the kernel nothing
    if (!asks_for_members_or_size(relocation))
      return fail(fmt::format("relocation of kind {}", relocation.kind));
    CoreAccess* access = &TRY(root(relocation.type)).get().access;
    const char* text = btf__name_by_offset(types_, relocation.access_offset);
    if (text == nullptr) return fail("access without a text");
    const std::vector<u32> indices = TRY(parse_indices(text));
    u32 id = relocation.type;
    // The first index is that of a pointer's pointee, as in p[0].
    for (const u32 index : std::span{indices}.subspan(1)) id = TRY(step(id, index, access));
    return {};
  }

  std::vector<CoreRoot> roots;

 private:
  Result<std::reference_wrapper<CoreRoot>> root(u32 id) {
    const btf_type* type = btf__type_by_id(types_, id);
    if (type == nullptr) return fail("relocation of no type");
    const u32 kind = btf_kind(type);
    if (kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION && kind != BTF_KIND_TYPEDEF)
      return fail(fmt::format("relocation of a type of kind {}", kind));
    const char* text = btf__name_by_offset(types_, type->name_off);
    std::string_view name{text == nullptr ? "" : text};
    name = name.substr(0, name.rfind("___"));
    if (name.empty()) return fail("relocation of a type without a name");
    const auto same = std::ranges::find_if(
        roots, [&](const CoreRoot& root) { return root.kind == kind && root.name == name; });
    if (same != roots.end()) return *same;
    return roots.emplace_back(kind, std::string{name}, CoreAccess{});
  }

  // Goes from the type `id` to its member or element `index`; gives that one's type.
  Result<u32> step(u32 id, u32 index, CoreAccess*& access) {
    const int bare = btf__resolve_type(types_, id);
    const btf_type* type = bare < 0 ? nullptr : btf__type_by_id(types_, static_cast<u32>(bare));
    if (type == nullptr) return fail("access of no type");
    if (btf_is_array(type)) {
      access = &access->to("");
      return btf_array(type)->type;
    }
    if (!btf_is_composite(type) || index >= btf_vlen(type)) return fail("access of no member");
    const ::btf_member& member = btf_members(type)[index];
    const char* name = btf__name_by_offset(types_, member.name_off);
    // Members of a struct without a name count as the outer struct's: CO-RE looks them up so too.
    if (name != nullptr && *name != '\0') access = &access->to(name);
    return member.type;
  }

  const btf* types_;
};

}  // namespace

CoreAccess& CoreAccess::to(const std::string& name) {
  const auto same = std::ranges::find(below, name, &CoreAccess::member);
  return same != below.end() ? *same : below.emplace_back(name);
}

Result<std::vector<CoreRoot>> core_accesses(std::span<const std::byte> elf) {
  ::elf_version(EV_CURRENT);
  // libelf does not write to what is only read, but its signature says nothing of that.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  auto* image = const_cast<char*>(reinterpret_cast<const char*>(elf.data()));
  const std::unique_ptr<Elf, ElfEnd> file{::elf_memory(image, elf.size())};
  if (!file) return fail("BPF object is no ELF file");
  const Bytes btf_bytes = TRY_CTX(elf_section(file.get(), ".BTF"), "BPF object");
  const Bytes ext_bytes = TRY_CTX(elf_section(file.get(), ".BTF.ext"), "BPF object");
  const OwnedBtf types{btf__new(btf_bytes.data(), static_cast<u32>(btf_bytes.size()))};
  if (!types) return fail_errno("parse .BTF");
  Collector collector{types.get()};
  for (const Relocation& relocation : TRY_CTX(relocations(ext_bytes), ".BTF.ext"))
    TRY_CTX(collector.add(relocation), ".BTF.ext");
  return std::move(collector.roots);
}

}  // namespace wick
