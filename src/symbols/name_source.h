// NameSource: names out of one string section, without keeping it. The first few hundred are read
// one by one; who asks for more gets the section loaded. A sorted sequence of reads (cursor) never
// needs that. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "object/elf_file.h"

namespace wick {

class NameSource {
 public:
  NameSource() = default;
  NameSource(std::shared_ptr<const ElfFile> elf, const ElfSection& strings);

  // Replaces `out` by the name at `offset`; false when there is none, or none that ends.
  [[nodiscard]] bool read(u32 offset, std::string& out);
  // The same, for offsets that mostly rise: reads ahead by blocks and forgets what is behind.
  [[nodiscard]] bool read_next(u32 offset, std::string& out);

 private:
  [[nodiscard]] bool take(std::size_t at, std::string& out) const;
  [[nodiscard]] bool load(u64 from, u64 size);

  std::shared_ptr<const ElfFile> elf_;
  u64 offset_ = 0;
  u64 size_ = 0;
  u32 reads_ = 0;
  u64 block_start_ = 0;      // of block_, in the section
  std::vector<char> block_;  // the whole section once it is loaded
};

}  // namespace wick
