#include "kernel/btf/slim_btf.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "kernel/btf/btf_file.h"
#include "kernel/btf/core_accesses.h"
#include "kernel/btf/owned_btf.h"

namespace wick {
namespace {

// Structs without a name inside each other; the kernel has no more than four.
constexpr int kMaxNesting = 16;
// A program reads a dozen types of at most a few hundred members: more is not a kernel's BTF.
constexpr u32 kMaxMembersSeen = 1U << 20;

struct Field {
  const CoreAccess* access;
  BtfMember member;  // its bit offset counts from the named struct around it
};

class Slimmer {
 public:
  Slimmer(BtfFile& kernel, BtfFile::Names names)
      : kernel_(kernel), names_(std::move(names)), out_(btf__new_empty()) {}

  Status add_all(const std::vector<CoreRoot>& roots, TypeIds& ids) {
    const auto is_wanted = [&](const btf_type& type) {
      return is_asked_for(type, ids) ||
             std::ranges::any_of(roots, [&](const CoreRoot& root) { return names(root, type); });
    };
    std::map<std::string, u32> found;
    for (const u32 id : TRY(kernel_.index_types(names_, is_wanted))) {
      const BtfType type = TRY(kernel_.type(id));
      if (is_asked_for(type.head, ids)) found[names_.at(type.head.name_off)] = id;
      TRY(add_candidate(roots, type));
    }
    for (auto& [name, id] : ids)
      if (!id) id = found[name];
    // libbpf then looks into the modules' BTF, which it does not with a custom one.
    for (std::size_t i = 0; i < roots.size(); ++i)
      if (!found_.contains(i)) return fail(fmt::format("no {} in the kernel's BTF", roots[i].name));
    return {};
  }

  [[nodiscard]] std::string_view bytes() const {
    u32 size = 0;
    const void* data = btf__raw_data(out_.get(), &size);
    return {static_cast<const char*>(data), data == nullptr ? 0 : size};
  }

 private:
  [[nodiscard]] bool names(const CoreRoot& root, const btf_type& type) const {
    if (btf_kind(&type) != root.kind) return false;
    const auto name = names_.find(type.name_off);
    return name != names_.end() && name->second == root.name;
  }

  [[nodiscard]] bool is_asked_for(const btf_type& type, const TypeIds& ids) const {
    if (!is_attached_by(type)) return false;
    const auto id = ids.find(names_.at(type.name_off));
    return id != ids.end() && !id->second;
  }

  // Several types may share a name; libbpf weighs them all, so all of them are given.
  Status add_candidate(const std::vector<CoreRoot>& roots, const BtfType& type) {
    for (std::size_t i = 0; i < roots.size(); ++i) {
      const CoreRoot& root = roots[i];
      if (!names(root, type.head)) continue;
      found_.insert(i);
      if (root.kind != BTF_KIND_TYPEDEF) {
        TRY(add_composite(type, root.access, root.name.c_str()));
        continue;
      }
      const int target = TRY(add_type(type.head.type, root.access));
      TRY(added(btf__add_typedef(out_.get(), root.name.c_str(), target)));
    }
    return {};
  }

  // Inner types go without their names, so that no inner one is taken for a candidate. For a
  // member's type CO-RE compares only the kind, and of an enum the name, unless it has none.
  Result<int> add_type(u32 id, const CoreAccess& access) {
    if (id == 0) return 0;  // void
    const BtfType type = TRY(kernel_.bare_type(id));
    switch (type.kind()) {
      case BTF_KIND_STRUCT:
      case BTF_KIND_UNION:
        return add_composite(type, access, nullptr);
      case BTF_KIND_INT:
        return add_int(type);
      case BTF_KIND_ARRAY:
        return add_array(type, access);
      case BTF_KIND_PTR:
        return added(btf__add_ptr(out_.get(), 0));
      case BTF_KIND_ENUM:
        return added(btf__add_enum(out_.get(), nullptr, type.head.size));
      case BTF_KIND_ENUM64:
        return added(btf__add_enum64(out_.get(), nullptr, type.head.size, btf_kflag(&type.head)));
      default:
        return fail(fmt::format("a member of BTF kind {}", type.kind()));
    }
  }

  Result<int> add_int(const BtfType& type) {
    const u32 encoding = TRY(kernel_.int_encoding(type));
    if (BTF_INT_OFFSET(encoding) != 0 || BTF_INT_BITS(encoding) != u64{type.head.size} * 8)
      return fail("an int with bits left out");
    return added(btf__add_int(out_.get(), "int", type.head.size,
                              static_cast<int>(BTF_INT_ENCODING(encoding))));
  }

  Result<int> add_array(const BtfType& type, const CoreAccess& access) {
    const BtfArray array = TRY(kernel_.array(type));
    static const CoreAccess whole;
    const auto element = std::ranges::find(access.below, "", &CoreAccess::member);
    const int element_type =
        TRY(add_type(array.element, element == access.below.end() ? whole : *element));
    const int index_type = TRY(added(btf__add_int(out_.get(), "int", sizeof(u32), BTF_INT_SIGNED)));
    return added(btf__add_array(out_.get(), index_type, element_type, array.count));
  }

  Result<int> add_composite(const BtfType& type, const CoreAccess& access, const char* name) {
    std::vector<Field> fields;
    TRY(find_fields(type, access, 0, 0, fields));
    // libbpf appends fields to the last type, so theirs come before it.
    std::vector<int> types;
    types.reserve(fields.size());
    for (const Field& field : fields)
      types.push_back(TRY(add_type(field.member.type, *field.access)));
    const bool named_union = name != nullptr && type.kind() == BTF_KIND_UNION;
    const int id = TRY(added(named_union ? btf__add_union(out_.get(), name, type.head.size)
                                         : btf__add_struct(out_.get(), name, type.head.size)));
    for (std::size_t i = 0; i < fields.size(); ++i)
      TRY(added(btf__add_field(out_.get(), fields[i].access->member.c_str(), types[i],
                               fields[i].member.bit_offset, fields[i].member.bit_size)));
    return id;
  }

  // In the kernel's order: only an array that is its struct's last member may be of open length.
  Status find_fields(const BtfType& type, const CoreAccess& access, u64 base_bits, int depth,
                     std::vector<Field>& out) {
    if (depth > kMaxNesting) return fail("structs nested too deep");
    for (u32 i = 0; i < btf_vlen(&type.head) && out.size() < access.below.size(); ++i) {
      if (++members_seen_ > kMaxMembersSeen) return fail("too many members");
      BtfMember member = TRY(kernel_.member(type, i));
      const u64 offset = base_bits + member.bit_offset;
      if (offset > UINT32_MAX) return fail("member too far away");
      member.bit_offset = static_cast<u32>(offset);
      if (member.name_offset == 0) {
        const BtfType inner = TRY(kernel_.bare_type(member.type));
        if (inner.is_composite()) TRY(find_fields(inner, access, offset, depth + 1, out));
        continue;
      }
      const auto name = names_.find(member.name_offset);
      if (name == names_.end()) continue;
      const auto wanted = std::ranges::find(access.below, name->second, &CoreAccess::member);
      if (wanted == access.below.end()) continue;
      if (std::ranges::find(out, &*wanted, &Field::access) == out.end())
        out.emplace_back(&*wanted, member);
    }
    return {};
  }

  static Result<int> added(int code) {
    if (code < 0) return fail_errno("build BTF", -code);
    return code;
  }

  BtfFile& kernel_;
  BtfFile::Names names_;  // by their place in the kernel's strings
  OwnedBtf out_;
  std::set<std::size_t> found_;  // roots that have a candidate
  u32 members_seen_ = 0;
};

void collect_names(const CoreAccess& access, std::set<std::string>& names) {
  if (!access.member.empty()) names.insert(access.member);
  for (const CoreAccess& below : access.below) collect_names(below, names);
}

}  // namespace

bool is_attached_by(const btf_type& type) {
  return btf_is_typedef(&type) || btf_is_func(&type);
}

Result<std::string> make_slim_btf(std::span<const std::byte> elf, TypeIds& ids,
                                  const std::string& kernel_btf) {
  const std::vector<CoreRoot> roots = TRY(core_accesses(elf));
  std::set<std::string> names;
  for (const CoreRoot& root : roots) {
    names.insert(root.name);
    collect_names(root.access, names);
  }
  for (const auto& [name, id] : ids)
    if (!id) names.insert(name);
  BtfFile kernel = TRY(BtfFile::open(kernel_btf));
  Slimmer slimmer{kernel, TRY(kernel.find_names(names))};
  TRY_CTX(slimmer.add_all(roots, ids), kernel_btf);
  return std::string{slimmer.bytes()};
}

SlimBtf SlimBtf::reserve() {
  Fd fd{::memfd_create("wick-btf", MFD_CLOEXEC)};
  if (!fd.valid()) return {};
  std::string path = fmt::format("/proc/self/fd/{}", fd.get());
  if (::access(path.c_str(), R_OK) != 0) return {};
  return {std::move(fd), std::move(path)};
}

bool SlimBtf::fill(std::span<const std::byte> elf, TypeIds& ids) {
  const auto bytes = make_slim_btf(elf, ids);
  return bytes && fd.valid() && write_all(fd.get(), *bytes);
}

}  // namespace wick
