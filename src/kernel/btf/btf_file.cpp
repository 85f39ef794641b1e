#include "kernel/btf/btf_file.h"

#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace wick {
namespace {

// sysfs hands out a page per read at most, so a bigger window would not save a call.
constexpr std::size_t kWindowBytes = 4096;
// The window always reaches this far when the section does: no name of the kernel is longer.
constexpr std::size_t kLongestName = 512;
constexpr u64 kLargestFile = 256U << 20;
constexpr u32 kIndexStep = 64;
constexpr int kMaxModifiers = 32;

// What follows the head of a type. A table: as a switch, the branches nobody can foretell were a
// quarter of the time of a walk over all types.
struct BodySize {
  bool known = false;
  u8 fixed = 0;
  u8 each = 0;  // times btf_vlen()
};
constexpr std::size_t kKinds = 32;  // five bits

constexpr std::array<BodySize, kKinds> make_body_sizes() {
  std::array<BodySize, kKinds> sizes{};
  for (const u32 kind : std::initializer_list<u32>{
           BTF_KIND_PTR, BTF_KIND_FWD, BTF_KIND_VOLATILE, BTF_KIND_CONST, BTF_KIND_RESTRICT,
           BTF_KIND_TYPEDEF, BTF_KIND_FUNC, BTF_KIND_FLOAT, BTF_KIND_TYPE_TAG})
    sizes.at(kind) = {.known = true};
  sizes[BTF_KIND_INT] = {true, sizeof(u32), 0};
  sizes[BTF_KIND_ARRAY] = {true, sizeof(struct btf_array), 0};
  sizes[BTF_KIND_VAR] = {true, sizeof(struct btf_var), 0};
  sizes[BTF_KIND_DECL_TAG] = {true, sizeof(struct btf_decl_tag), 0};
  sizes[BTF_KIND_STRUCT] = {true, 0, sizeof(btf_member)};
  sizes[BTF_KIND_UNION] = {true, 0, sizeof(btf_member)};
  sizes[BTF_KIND_ENUM] = {true, 0, sizeof(struct btf_enum)};
  sizes[BTF_KIND_ENUM64] = {true, 0, sizeof(struct btf_enum64)};
  sizes[BTF_KIND_FUNC_PROTO] = {true, 0, sizeof(btf_param)};
  sizes[BTF_KIND_DATASEC] = {true, 0, sizeof(btf_var_secinfo)};
  return sizes;
}
constexpr auto kBodySizes = make_body_sizes();

u64 body_size(const btf_type& head) {
  const BodySize& size = kBodySizes[btf_kind(&head) % kKinds];
  return size.fixed + u64{size.each} * btf_vlen(&head);
}

// Nearly no string of the kernel is one of ours: first letter and length tell most of them apart
// without a hash or a comparison (100,000 strings: 1 ms).
class NameFilter {
 public:
  explicit NameFilter(const std::set<std::string>& names) {
    for (const std::string& name : names)
      if (!name.empty()) lengths_[first(name)] |= bit(name.size());
  }
  [[nodiscard]] bool may_be(std::string_view name) const {
    return !name.empty() && (lengths_[first(name)] & bit(name.size())) != 0;
  }

 private:
  static u8 first(std::string_view name) { return static_cast<u8>(name.front()); }
  static u64 bit(std::size_t size) { return u64{1} << (size % 64); }
  std::array<u64, 256> lengths_{};
};

// The same for places of names: of 150,000 types a few hundred have one that may be ours.
class PlaceFilter {
 public:
  explicit PlaceFilter(const BtfFile::Names& names) {
    for (const auto& [place, name] : names) word(place) |= bit(place);
  }
  [[nodiscard]] bool may_be(u32 place) const {
    return (words_[(place >> 6) % kWords] & bit(place)) != 0;
  }

 private:
  static constexpr std::size_t kWords = 512;
  static u64 bit(u32 place) { return u64{1} << (place % 64); }
  u64& word(u32 place) { return words_[(place >> 6) % kWords]; }
  std::array<u64, kWords> words_{};
};

}  // namespace

Result<BtfFile> BtfFile::open(const std::string& path) {
  BtfFile file{TRY(Fd::open(path))};
  TRY_CTX(file.read_header(), path);
  return file;
}

Status BtfFile::read_header() {
  struct stat status{};
  if (::fstat(fd_.get(), &status) != 0) return fail_errno("stat");
  const u64 size = status.st_size < 0 ? 0 : static_cast<u64>(status.st_size);
  if (size > kLargestFile) return fail("too big for a BTF file");
  map_if_kernels_own(size);
  const auto header = TRY(read<btf_header>(0, size));
  if (header.magic != BTF_MAGIC || header.version != BTF_VERSION ||
      header.hdr_len < sizeof(btf_header))
    return fail("not a BTF file of this machine");
  // 32-bit numbers added as 64-bit ones: no sum wraps.
  const auto section = [&](u64 offset, u64 length) {
    const u64 begin = header.hdr_len + offset;
    return Section{begin, begin + length};
  };
  types_ = section(header.type_off, header.type_len);
  strings_ = section(header.str_off, header.str_len);
  if (types_.end > size || strings_.end > size) return fail("BTF file cut short");
  return {};
}

void BtfUnmap::operator()(const char* memory) const {
  ::munmap(const_cast<char*>(memory), size);
}

// One mapping instead of 1,350 reads of a page. Only of sysfs: a file on a disk could be cut while
// we look.
void BtfFile::map_if_kernels_own(u64 size) {
  struct statfs system{};
  if (::fstatfs(fd_.get(), &system) != 0 || system.f_type != SYSFS_MAGIC || size == 0) return;
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd_.get(), 0);
  if (memory == MAP_FAILED) return;
  mapped_ = {static_cast<const char*>(memory), BtfUnmap{size}};
}

// What is buffered from `offset` on: at least kLongestName bytes, or all up to `end`.
Result<std::span<const char>> BtfFile::window_at(u64 offset, u64 end) {
  if (mapped_)
    return std::span{mapped_.get() + std::min(offset, end),
                     static_cast<std::size_t>(end - std::min(offset, end))};
  const u64 need = std::min<u64>(kLongestName, end - std::min(offset, end));
  if (offset < window_begin_ || offset + need > window_begin_ + window_.size()) {
    window_.resize(kWindowBytes);
    const ssize_t got =
        ::pread(fd_.get(), window_.data(), window_.size(), static_cast<off_t>(offset));
    const int code = errno;
    window_.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    window_begin_ = offset;
    if (got < 0) return fail_errno("read BTF", code);
    if (window_.size() < need) return fail("BTF file cut short");
  }
  const std::span<const char> buffered{window_};
  const auto rest = buffered.subspan(static_cast<std::size_t>(offset - window_begin_));
  return rest.first(
      static_cast<std::size_t>(std::min<u64>(rest.size(), end - std::min(offset, end))));
}

template <class T>
Result<T> BtfFile::read(u64 offset, u64 end) {
  static_assert(sizeof(T) <= kLongestName);
  const auto bytes = TRY(window_at(offset, end));
  if (bytes.size() < sizeof(T)) return fail("BTF file cut short");
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

Result<BtfFile::Names> BtfFile::find_names(const std::set<std::string>& wanted) {
  const NameFilter filter{wanted};
  Names found;
  bool inside_long_name = false;
  u64 offset = strings_.begin;
  while (offset < strings_.end) {
    auto rest = TRY(window_at(offset, strings_.end));
    while (!rest.empty()) {
      const auto* nul = static_cast<const char*>(std::memchr(rest.data(), 0, rest.size()));
      if (nul == nullptr) break;
      const std::string_view name{rest.data(), nul};
      if (!inside_long_name && filter.may_be(name)) {
        const auto same = wanted.find(std::string{name});
        if (same != wanted.end()) found[static_cast<u32>(offset - strings_.begin)] = *same;
      }
      inside_long_name = false;
      rest = rest.subspan(name.size() + 1);
      offset += name.size() + 1;
    }
    // A name the window cuts is read again from its start, unless it is longer than any of ours.
    if (rest.size() >= kLongestName || offset + rest.size() == strings_.end) {
      inside_long_name = true;
      offset += rest.size();
    }
  }
  return found;
}

Result<BtfType> BtfFile::type_at(u64 offset) {
  return BtfType{TRY(read<btf_type>(offset, types_.end)), offset + sizeof(btf_type)};
}

// Goes through the window by itself: by type_at() the 150,000 types took 1 ms more.
Result<std::vector<u32>> BtfFile::index_types(const Names& names, const Wanted& wanted) {
  const PlaceFilter filter{names};
  every_64th_.clear();
  last_id_ = 0;
  std::vector<u32> ids;
  u64 offset = types_.begin;
  while (offset < types_.end) {
    auto rest = TRY(window_at(offset, types_.end));
    if (rest.size() < sizeof(btf_type)) return fail("BTF type cut short");
    while (rest.size() >= sizeof(btf_type)) {
      btf_type head;
      std::memcpy(&head, rest.data(), sizeof(head));
      if (!kBodySizes[btf_kind(&head) % kKinds].known)
        return fail(fmt::format("BTF of kind {} is not known", btf_kind(&head)));
      if (last_id_ % kIndexStep == 0) every_64th_.push_back(offset);
      ++last_id_;
      if (filter.may_be(head.name_off) && names.contains(head.name_off) && wanted(head))
        ids.push_back(last_id_);
      const u64 size = sizeof(head) + body_size(head);
      offset += size;
      rest = rest.subspan(static_cast<std::size_t>(std::min<u64>(size, rest.size())));
    }
  }
  if (offset > types_.end) return fail("BTF type cut short");
  return ids;
}

Result<BtfType> BtfFile::type(u32 id) {
  if (id == 0 || id > last_id_) return fail(fmt::format("BTF has no type {}", id));
  BtfType type = TRY(type_at(every_64th_[(id - 1) / kIndexStep]));
  for (u32 left = (id - 1) % kIndexStep; left > 0; --left)
    type = TRY(type_at(type.body + body_size(type.head)));
  return type;
}

Result<BtfType> BtfFile::bare_type(u32 id) {
  BtfType found = TRY(type(id));
  for (int i = 0; i < kMaxModifiers; ++i) {
    if (!btf_is_mod(&found.head) && !btf_is_typedef(&found.head)) return found;
    found = TRY(type(found.head.type));
  }
  return fail("BTF modifiers without an end");
}

Result<BtfMember> BtfFile::member(const BtfType& type, u32 index) {
  const auto raw = TRY(read<btf_member>(type.body + u64{index} * sizeof(btf_member), types_.end));
  if (!btf_kflag(&type.head)) return BtfMember{raw.name_off, raw.type, raw.offset, 0};
  return BtfMember{raw.name_off, raw.type, BTF_MEMBER_BIT_OFFSET(raw.offset),
                   BTF_MEMBER_BITFIELD_SIZE(raw.offset)};
}

Result<BtfArray> BtfFile::array(const BtfType& type) {
  const auto raw = TRY(read<struct btf_array>(type.body, types_.end));
  return BtfArray{raw.type, raw.nelems};
}

Result<u32> BtfFile::int_encoding(const BtfType& type) {
  return read<u32>(type.body, types_.end);
}

}  // namespace wick
