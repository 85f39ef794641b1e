// BtfFile: a BTF too big to keep, such as the kernel's, read a page at a time. What it remembers is
// the place of every 64th type, so 150,000 types cost 10 KB; libbpf's own reader costs 11 MB.
// Used by slim_btf.cpp and typed_programs.cpp. One thread at a time: reading moves the window.
//
//   BtfFile kernel = TRY(BtfFile::open("/sys/kernel/btf/vmlinux"));
//   auto names = TRY(kernel.find_names({"task_struct", "tgid"}));
//   auto is_struct = [](const btf_type& type) { return btf_is_struct(&type); };
//   auto ids = TRY(kernel.index_types(names, is_struct));
//   BtfType type = TRY(kernel.type(ids.front()));
#pragma once

#include <bpf/btf.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"

namespace wick {

struct BtfType {
  btf_type head;
  u64 body = 0;  // where in the file what follows the head stands: members, array, int encoding

  [[nodiscard]] u32 kind() const { return btf_kind(&head); }
  [[nodiscard]] bool is_composite() const { return btf_is_composite(&head); }
};

struct BtfMember {
  u32 name_offset = 0;  // 0: the member has no name
  u32 type = 0;
  u32 bit_offset = 0;
  u32 bit_size = 0;  // 0: not a bit field
};

struct BtfArray {
  u32 element = 0;  // a type
  u32 count = 0;
};

struct BtfUnmap {
  std::size_t size = 0;
  void operator()(const char* memory) const;
};

class BtfFile {
 public:
  [[nodiscard]] static Result<BtfFile> open(const std::string& path);

  // The places in the string section where one of `wanted` stands, and which.
  using Names = std::map<u32, std::string>;
  [[nodiscard]] Result<Names> find_names(const std::set<std::string>& wanted);

  // Walks over all types once, as type() needs it; gives the ids of those that have one of the
  // names and for which `wanted` is true.
  using Wanted = std::function<bool(const btf_type&)>;
  [[nodiscard]] Result<std::vector<u32>> index_types(const Names& names, const Wanted& wanted);

  [[nodiscard]] Result<BtfType> type(u32 id);
  // The same without const, volatile, typedef and their like around it.
  [[nodiscard]] Result<BtfType> bare_type(u32 id);

  // `type` must be of the kind that has one; a member's index is below its btf_vlen().
  [[nodiscard]] Result<BtfMember> member(const BtfType& type, u32 index);
  [[nodiscard]] Result<BtfArray> array(const BtfType& type);
  [[nodiscard]] Result<u32> int_encoding(const BtfType& type);

 private:
  struct Section {
    u64 begin = 0;
    u64 end = 0;
  };

  explicit BtfFile(Fd fd) : fd_(std::move(fd)) {}
  void map_if_kernels_own(u64 size);
  [[nodiscard]] Status read_header();
  [[nodiscard]] Result<std::span<const char>> window_at(u64 offset, u64 end);
  [[nodiscard]] Result<BtfType> type_at(u64 offset);
  template <class T>
  [[nodiscard]] Result<T> read(u64 offset, u64 end);

  Fd fd_;
  // All of it, where the kernel lets its BTF be mapped (6.16); else windows are read.
  std::unique_ptr<const char, BtfUnmap> mapped_;
  Section types_;
  Section strings_;
  std::vector<u64> every_64th_;  // [k]: where type 1 + 64 k stands
  u32 last_id_ = 0;
  std::vector<char> window_;
  u64 window_begin_ = 0;
};

}  // namespace wick
