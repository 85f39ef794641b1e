#include "kernel/btf/slim_btf.h"

#include <bpf/btf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "bpf_object_builder.h"
#include "kernel/btf/core_accesses.h"

namespace wick {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : path_(testing::TempDir() + "wick_slim_btf_XXXXXX"), fd_(::mkstemp(path_.data())) {
    EXPECT_TRUE(write_all(fd_.get(), content));
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  TemporaryFile(TemporaryFile&&) = delete;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  Fd fd_;
};

Result<Btf> slim(const std::string& elf, const std::string& kernel_path) {
  TypeIds none;
  const std::string bytes = TRY(make_slim_btf(as_bytes(elf), none, kernel_path));
  Btf types{btf__new(bytes.data(), static_cast<u32>(bytes.size()))};
  if (!types) return fail_errno("parse the slim BTF");
  return types;
}

struct Place {
  u32 bit_offset = 0;
  u32 bit_size = 0;
  u32 kind = 0;
  i64 size = 0;
  u32 type = 0;

  bool operator==(const Place& other) const {
    return bit_offset == other.bit_offset && bit_size == other.bit_size && kind == other.kind &&
           size == other.size;
  }
};

std::ostream& operator<<(std::ostream& out, const Place& place) {
  return out << "bit " << place.bit_offset << ":" << place.bit_size << " kind " << place.kind
             << " size " << place.size;
}

// Structs and unions are one kind to CO-RE.
u32 kind_to_core(const btf_type* type) {
  return btf_is_composite(type) ? u32{BTF_KIND_STRUCT} : btf_kind(type);
}

const btf_type* bare(const btf* types, u32 id) {
  return btf__type_by_id(types, static_cast<u32>(btf__resolve_type(types, id)));
}

// The way libbpf looks a member up: by name, through structs without one.
std::optional<Place> find(const btf* types, u32 id, const std::string& name) {
  const btf_type* outer = bare(types, id);
  if (name.empty()) {
    if (!btf_is_array(outer)) return {};
    const u32 element = btf_array(outer)->type;
    return Place{0, 0, kind_to_core(bare(types, element)), btf__resolve_size(types, element),
                 element};
  }
  if (!btf_is_composite(outer)) return {};
  for (u32 i = 0; i < btf_vlen(outer); ++i) {
    const auto& member = btf_members(outer)[i];
    const std::string_view text = btf__name_by_offset(types, member.name_off);
    const u32 offset = btf_member_bit_offset(outer, i);
    if (text == name)
      return Place{offset, btf_member_bitfield_size(outer, i),
                   kind_to_core(bare(types, member.type)), btf__resolve_size(types, member.type),
                   member.type};
    if (!text.empty()) continue;
    if (auto inner = find(types, member.type, name)) {
      inner->bit_offset += offset;
      return inner;
    }
  }
  return {};
}

std::optional<Place> find(const btf* types, const char* root, u32 kind,
                          std::initializer_list<const char*> path) {
  const int id = btf__find_by_name_kind(types, root, kind);
  if (id < 0) return {};
  Place place{.type = static_cast<u32>(id)};
  for (const char* name : path) {
    const auto next = find(types, place.type, name);
    if (!next) return {};
    const u32 before = place.bit_offset;
    place = *next;
    place.bit_offset += before;
  }
  return place;
}

void expect_same(const btf* full, u32 full_id, const btf* slim, u32 slim_id,
                 const CoreAccess& access, const std::string& path, int& compared) {
  for (const CoreAccess& below : access.below) {
    const std::string name = path + "." + below.member;
    const auto in_full = find(full, full_id, below.member);
    const auto in_slim = find(slim, slim_id, below.member);
    EXPECT_EQ(in_full, in_slim) << name;
    ++compared;
    if (in_full && in_slim)
      expect_same(full, in_full->type, slim, in_slim->type, below, name, compared);
  }
}

TEST(SlimBtf, AgreesWithTheRunningKernelOnEveryMemberOfProfile) {
  const auto object =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../generated/profile.bpf.o";
  const auto elf = read_file(object.string());
  if (!elf) GTEST_SKIP() << elf.error().text();
  const Btf full{btf__load_vmlinux_btf()};
  if (!full) GTEST_SKIP() << "no BTF here";

  const auto roots = core_accesses(as_bytes(*elf));
  ASSERT_TRUE(roots) << roots.error().text();
  const auto small = slim(*elf, kKernelBtf);
  ASSERT_TRUE(small) << small.error().text();
  int compared = 0;
  for (const CoreRoot& root : *roots) {
    const int in_full = btf__find_by_name_kind(full.get(), root.name.c_str(), root.kind);
    const int in_slim = btf__find_by_name_kind(small->get(), root.name.c_str(), root.kind);
    ASSERT_GT(in_full, 0) << root.name;
    ASSERT_GT(in_slim, 0) << root.name;
    EXPECT_EQ(btf__resolve_size(full.get(), static_cast<u32>(in_full)),
              btf__resolve_size(small->get(), static_cast<u32>(in_slim)))
        << root.name;
    expect_same(full.get(), static_cast<u32>(in_full), small->get(), static_cast<u32>(in_slim),
                root.access, root.name, compared);
  }
  EXPECT_GE(compared, 8);
  EXPECT_LT(raw(small->get()).size(), 8192U);
}

/* As if the kernel said:
 *   typedef volatile struct { u32 pad; u32 counter; } atomic_t;       (the real one has no pad)
 *   struct item { u64 pad; u32 value; };
 *   struct host {
 *     u64 start;
 *     union { u64 whole; struct { u32 low; u32 high; }; };
 *     const atomic_t live;
 *     u32 : 3, flags : 5;                                             at bit 256 + 3
 *     enum { } state;                                                 at byte 40
 *     struct item *link; struct item items[4];                        at bytes 48 and 56
 *   };
 * after as many other types and strings as take several index steps and windows. */
class SyntheticKernel : public testing::Test {
 protected:
  SyntheticKernel() : kernel_(btf__new_empty()) {
    btf* k = kernel_.get();
    for (int i = 0; i < 500; ++i) {
      btf__add_struct(k, ("filler_with_a_long_name_" + std::to_string(i)).c_str(), 4);
      if (i == 250) btf__add_typedef(k, std::string(1500, 'x').c_str(), 0);
    }
    u64_ = btf__add_int(k, "u64", 8, 0);
    u32_ = btf__add_int(k, "u32", 4, 0);
    const int counter = btf__add_struct(k, nullptr, 8);
    btf__add_field(k, "pad", u32_, 0, 0);
    btf__add_field(k, "counter", u32_, 32, 0);
    const int atomic = btf__add_typedef(k, "atomic_t", btf__add_volatile(k, counter));
    const int live = btf__add_const(k, atomic);
    item_ = btf__add_struct(k, "item", 16);
    btf__add_field(k, "pad", u64_, 0, 0);
    btf__add_field(k, "value", u32_, 64, 0);
    const int halves = btf__add_struct(k, nullptr, 8);
    btf__add_field(k, "low", u32_, 0, 0);
    btf__add_field(k, "high", u32_, 32, 0);
    const int either = btf__add_union(k, nullptr, 8);
    btf__add_field(k, "whole", u64_, 0, 0);
    btf__add_field(k, nullptr, halves, 0, 0);
    const int state = btf__add_enum(k, "host_state", 4);
    const int link = btf__add_ptr(k, item_);
    const int items = btf__add_array(k, u32_, item_, 4);
    btf__add_struct(k, "host", 120);
    btf__add_field(k, "start", u64_, 0, 0);
    btf__add_field(k, nullptr, either, 64, 0);
    btf__add_field(k, "live", live, 128, 0);
    btf__add_field(k, "flags", u32_, 259, 5);
    btf__add_field(k, "state", state, 320, 0);
    btf__add_field(k, "link", link, 384, 0);
    btf__add_field(k, "items", items, 448, 0);
  }

  // The object's view of it: in another order, all in one struct, with types of its own.
  void declare_host(const char* name) {
    btf* o = object_.types();
    const int number = btf__add_int(o, "int", 4, BTF_INT_SIGNED);
    const int atomic_struct = btf__add_struct(o, nullptr, 4);
    btf__add_field(o, "counter", number, 0, 0);
    local_atomic_ = btf__add_typedef(o, "atomic_t", atomic_struct);
    const int item = btf__add_struct(o, "item", 4);
    btf__add_field(o, "value", number, 0, 0);
    const int items = btf__add_array(o, number, item, 1);
    const int pointer = btf__add_ptr(o, item);
    host_ = btf__add_struct(o, name, 64);
    int offset = 0;
    const auto add = [&](const char* field, int type) {
      btf__add_field(o, field, type, static_cast<u32>(offset), 0);
      offset += 64;
    };
    add("high", number);
    add("live", local_atomic_);
    add("flags", number);
    add("state", number);
    add("link", pointer);
    add("items", items);
    add("gone", number);
  }

  [[nodiscard]] Result<Btf> make() {
    const TemporaryFile file{raw(kernel_.get())};
    return slim(object_.elf(), file.path());
  }

  Btf kernel_;
  int u64_ = 0, u32_ = 0, item_ = 0;
  ObjectBuilder object_;
  int host_ = 0, local_atomic_ = 0;
};

#define EXPECT_SAME_PLACE(slim_btf, ...)                                             \
  do {                                                                               \
    const auto expected = find(kernel_.get(), "host", BTF_KIND_STRUCT, __VA_ARGS__); \
    ASSERT_TRUE(expected);                                                           \
    EXPECT_EQ(find(slim_btf, "host", BTF_KIND_STRUCT, __VA_ARGS__), expected);       \
  } while (false)

TEST_F(SyntheticKernel, MembersKeepTheirPlaceThroughUnionsTypedefsAndArrays) {
  declare_host("host");
  for (const char* access : {"0:0", "0:1:0", "0:2", "0:3", "0:4", "0:5:0:0"})
    object_.relocate(host_, access);
  const auto made = make();
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_SAME_PLACE(made->get(), {"high"});
  EXPECT_SAME_PLACE(made->get(), {"live"});
  EXPECT_SAME_PLACE(made->get(), {"live", "counter"});
  EXPECT_SAME_PLACE(made->get(), {"flags"});
  EXPECT_SAME_PLACE(made->get(), {"state"});
  EXPECT_SAME_PLACE(made->get(), {"link"});
  EXPECT_SAME_PLACE(made->get(), {"items", "", "value"});
  EXPECT_EQ(btf__resolve_size(made->get(), static_cast<u32>(btf__find_by_name_kind(
                                               made->get(), "host", BTF_KIND_STRUCT))),
            120);
}

TEST_F(SyntheticKernel, WhatIsNotReadIsNotThere) {
  declare_host("host");
  object_.relocate(host_, "0:0");
  const auto made = make();
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_FALSE(find(made->get(), "host", BTF_KIND_STRUCT, {"items"}));
  EXPECT_LT(btf__find_by_name(made->get(), "item"), 0);
}

TEST_F(SyntheticKernel, MemberTheKernelLacksIsLackingToo) {
  declare_host("host");
  object_.relocate(host_, "0:6", BPF_CORE_FIELD_EXISTS);
  object_.relocate(host_, "0:0");
  const auto made = make();
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_FALSE(find(made->get(), "host", BTF_KIND_STRUCT, {"gone"}));
  EXPECT_SAME_PLACE(made->get(), {"high"});
}

TEST_F(SyntheticKernel, FlavourIsNotPartOfTheName) {
  declare_host("host___before_5_14");
  object_.relocate(host_, "0:0");
  const auto made = make();
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_SAME_PLACE(made->get(), {"high"});
}

TEST_F(SyntheticKernel, TypedefIsARootAsWell) {
  declare_host("host");
  object_.relocate(local_atomic_, "0:0");
  const auto made = make();
  ASSERT_TRUE(made) << made.error().text();
  const auto place = find(made->get(), "atomic_t", BTF_KIND_TYPEDEF, {"counter"});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->bit_offset, 32U);
}

TEST_F(SyntheticKernel, TypesOfOneNameAreAllGiven) {
  btf__add_struct(kernel_.get(), "host", 4);
  btf__add_field(kernel_.get(), "high", u32_, 0, 0);
  declare_host("host");
  object_.relocate(host_, "0:0");
  const auto made = make();
  ASSERT_TRUE(made) << made.error().text();
  std::vector<i64> sizes;
  for (u32 id = 1; id < btf__type_cnt(made->get()); ++id) {
    const btf_type* type = btf__type_by_id(made->get(), id);
    if (btf_is_struct(type)) sizes.push_back(type->size);
  }
  EXPECT_THAT(sizes, testing::ElementsAre(120, 4));
}

TEST_F(SyntheticKernel, TypeTheKernelLacksIsLeftToLibbpf) {
  declare_host("module_host");
  object_.relocate(host_, "0:0");
  const auto made = make();
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().text(), HasSubstr("no module_host"));
}

TEST_F(SyntheticKernel, RelocationsThatNeedTheWholeAreLeftToLibbpf) {
  declare_host("host");
  object_.relocate(host_, "0", BPF_CORE_TYPE_ID_TARGET);
  EXPECT_FALSE(make());
}

TEST_F(SyntheticKernel, CutShortAnywhereIsAnError) {
  declare_host("host");
  for (const char* access : {"0:0", "0:1:0", "0:5:0:0"}) object_.relocate(host_, access);
  const std::string whole = raw(kernel_.get());
  const std::string elf = object_.elf();
  for (std::size_t size = 0; size < whole.size(); size += size < 64 ? 1 : 97) {
    const TemporaryFile file{whole.substr(0, size)};
    EXPECT_FALSE(slim(elf, file.path())) << size;
  }
}

TEST_F(SyntheticKernel, DamageNeverCrashes) {
  declare_host("host");
  for (const char* access : {"0:0", "0:1:0", "0:2", "0:5:0:0"}) object_.relocate(host_, access);
  const std::string whole = raw(kernel_.get());
  const std::string elf = object_.elf();
  const auto damage = [&](std::size_t at, int bits) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ bits);
    const TemporaryFile file{damaged};
    TypeIds ids{{"host", std::nullopt}};
    const auto made = make_slim_btf(as_bytes(elf), ids, file.path());
    EXPECT_TRUE(made || !made.error().message.empty());
  };
  btf_header header{};
  std::memcpy(&header, whole.data(), sizeof(header));
  const std::size_t types_end = header.hdr_len + header.type_off + header.type_len;
  for (std::size_t at = 0; at < header.hdr_len; ++at)
    for (const int bits : {0x01, 0x80, 0xff}) damage(at, bits);
  for (std::size_t at = types_end - 600; at < types_end; ++at)
    for (const int bits : {0x01, 0x10, 0xff}) damage(at, bits);
}

TEST_F(SyntheticKernel, DamagedObjectNeverCrashes) {
  declare_host("host");
  for (const char* access : {"0:0", "0:1:0", "0:5:0:0"}) object_.relocate(host_, access);
  const std::string elf = object_.elf();
  for (std::size_t at = 0; at < elf.size(); ++at) {
    std::string damaged = elf;
    damaged[at] = static_cast<char>(~damaged[at]);
    for (const std::string& input : {damaged, elf.substr(0, at)}) {
      const auto roots = core_accesses(as_bytes(input));
      EXPECT_TRUE(roots || !roots.error().message.empty());
    }
  }
}

TEST_F(SyntheticKernel, TypesByNameAreFoundInTheSamePass) {
  declare_host("host");
  object_.relocate(host_, "0:0");
  const int proto = btf__add_func_proto(kernel_.get(), 0);
  const int function = btf__add_func(kernel_.get(), "vfs_read", BTF_FUNC_STATIC, proto);
  const int type = btf__add_typedef(kernel_.get(), "btf_trace_x", proto);
  const TemporaryFile file{raw(kernel_.get())};
  TypeIds ids{{"vfs_read", {}}, {"btf_trace_x", {}}, {"host", {}}, {"gone", {}}, {"known", 7}};
  ASSERT_TRUE(make_slim_btf(as_bytes(object_.elf()), ids, file.path()));
  const TypeIds expected{{"vfs_read", function},
                         {"btf_trace_x", type},
                         {"host", 0},  // a struct
                         {"gone", 0},
                         {"known", 7}};
  EXPECT_EQ(ids, expected);
}

TEST(SlimBtf, StructInsideItselfIsAnError) {
  const Btf kernel{btf__new_empty()};
  btf__add_struct(kernel.get(), "host", 8);
  btf__add_field(kernel.get(), nullptr, 1, 0, 0);
  ObjectBuilder object;
  const int number = btf__add_int(object.types(), "int", 4, 0);
  const int host = btf__add_struct(object.types(), "host", 4);
  btf__add_field(object.types(), "high", number, 0, 0);
  object.relocate(host, "0:0");
  const TemporaryFile file{raw(kernel.get())};
  EXPECT_FALSE(slim(object.elf(), file.path()));
}

TEST(SlimBtf, WithoutABtfLibbpfIsLeftToItself) {
  ObjectBuilder object;
  TypeIds none;
  EXPECT_FALSE(make_slim_btf(as_bytes(object.elf()), none, "/nonexistent/btf"));
  EXPECT_FALSE(SlimBtf::reserve().fill({}, none));
}

}  // namespace
}  // namespace wick
